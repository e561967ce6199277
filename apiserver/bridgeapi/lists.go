// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"net/http"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// media serves GET /api/v1/xjdf/media-catalog. Its cost depends on the size of the page and
// not on the number of media.
func (s *surface) media(c *gate.Call) error {
	p, err := read(c, "source", "limit", "offset")
	if err != nil {
		return err
	}
	answer := MediaCatalog{Items: []Medium{}}
	if answer.Source, err = p.source(fromOrganization); err != nil {
		return err
	}
	if answer.Limit, err = p.whole("limit", 1, maxLimit, defaultLimit); err != nil {
		return err
	}
	if answer.Offset, err = p.whole("offset", 0, maxOffset, 0); err != nil {
		return err
	}
	snapshot, named, err := s.inForce(c, answer.Source)
	if err != nil {
		return err
	}
	if answer.Snapshot = named; snapshot != nil {
		fill(&answer, snapshot)
	}
	return c.JSON(http.StatusOK, answer)
}

// fill sets the page and the counts of the answer.
func fill(answer *MediaCatalog, snapshot *authority.Snapshot) {
	page := snapshot.MediaPage(answer.Offset, answer.Limit)
	for i := range page {
		m := &page[i]
		answer.Items = append(answer.Items, Medium{
			ID: m.ID, Name: m.Name, Manufacturer: m.Manufacturer, MediaType: m.MediaType, Dimension: dimensionOf(authority.Area{Width: m.Width, Height: m.Height}),
			Weight: m.Weight, Thickness: m.Thickness, Grain: string(m.Grain), Coating: m.Coating, BackCoating: m.BackCoating,
		})
	}
	answer.Total = snapshot.Count(authority.FamilyMedia)
	if next := answer.Offset + len(page); next < answer.Total && len(page) > 0 {
		answer.NextOffset = next
	}
}

func dimensionOf(a authority.Area) Dimension {
	return Dimension{Width: a.Width, Height: a.Height, Unit: "mm"}
}

// devices serves GET /api/v1/xjdf/devices.
func (s *surface) devices(c *gate.Call) error {
	p, err := read(c, "source")
	if err != nil {
		return err
	}
	answer := DeviceList{Items: []Device{}}
	if answer.Source, err = p.source(fromPlatform); err != nil {
		return err
	}
	snapshot, named, err := s.inForce(c, answer.Source)
	if err != nil {
		return err
	}
	if answer.Snapshot = named; snapshot != nil {
		for i := range snapshot.Content().Devices {
			answer.Items = append(answer.Items, deviceOf(&snapshot.Content().Devices[i]))
		}
	}
	return c.JSON(http.StatusOK, answer)
}

// deviceOf describes the capabilities of a device. It describes the accepted media by print
// area, if the device has one, and by weight. It never claims a device class or the
// conformance to a standard.
func deviceOf(d *authority.Device) Device {
	one := Device{
		ID: d.ID, Name: d.Name, Manufacturer: d.Manufacturer, Model: d.Model, Process: string(d.Process),
		MinPages: int(d.MinPages), MaxPages: int(d.MaxPages), Speed: d.Speed,
		Colors: int(d.Colors), Perfecting: d.Perfecting, Coater: d.Coater, Folds: d.Folds,
	}
	if !d.PrintArea.IsZero() {
		area := dimensionOf(d.PrintArea)
		one.MediaDimension = &area
	}
	if d.Weight != (authority.Range{}) {
		one.MediaWeight = &Range{Min: d.Weight.Min, Max: d.Weight.Max}
	}
	return one
}
