// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
)

// workshop holds the devices of an owner by process, in the order of their identifiers,
// and the reasons why some devices could not be used.
type workshop struct {
	machines map[authority.Process][]*machine
	presses  []*machine
	refusals map[authority.Process]map[string]string
}

// newWorkshop returns the devices of a snapshot with their rates.
func newWorkshop(s *authority.Snapshot) *workshop {
	w := &workshop{machines: map[authority.Process][]*machine{}, refusals: map[authority.Process]map[string]string{}}
	devices := s.Content().Devices
	for i := range devices {
		m := &machine{Device: &devices[i]}
		labor, _ := s.Labor(m.Labor)
		power, _ := s.Electricity(m.Electricity)
		m.labor, m.electricity = labor.Price.Amount, power.Price.Amount
		m.plate, _ = s.Plate(m.Plate)
		m.adhesive, _ = s.Adhesive(m.Adhesive)
		if m.Process.Printing() {
			w.presses = append(w.presses, m)
		}
		w.machines[m.Process] = append(w.machines[m.Process], m)
	}
	return w
}

// area converts an area of the master data to micrometres.
func area(a authority.Area) rectangle {
	return rectangle{fromMillimetres(a.Width), fromMillimetres(a.Height)}
}

// The reasons why a device cannot process a piece or a sheet.
const (
	tooLarge    = "the piece or sheet exceeds its maximum size"
	tooSmall    = "the piece or sheet is below its minimum size"
	wrongWeight = "it does not support media of this weight"
	wrongPages  = "it does not support this number of pages"
	wrongFold   = "it does not support this fold"
	thickSheet  = "the medium is thicker than its maximum cut"

	wrongPrinting = "the document requests another printing process"
	wrongGrain    = "the grain of the medium would have the wrong direction, or is unknown"
	noVariable    = "it does not print variable data"
)

// takes returns the reason why a machine does not accept media of this size, in either
// orientation, and weight, or an empty text if it does.
func (m *machine) takes(size rectangle, weight money.Decimal) string {
	if m.Weight.Max > 0 && (weight < m.Weight.Min || weight > m.Weight.Max) {
		return wrongWeight
	}
	smallest, largest := area(m.MinSheet), area(m.MaxSheet)
	if !size.within(largest) && !size.turned().within(largest) {
		return tooLarge
	}
	if size.within(largest) && smallest.within(size) || size.turned().within(largest) && smallest.within(size.turned()) {
		return ""
	}
	return tooSmall
}

// takesPages returns the reason why a machine does not accept this number of pages, or
// an empty text if it does.
func (m *machine) takesPages(pages int64) string {
	if m.MinPages > 0 && pages < m.MinPages || m.MaxPages > 0 && pages > m.MaxPages {
		return wrongPages
	}
	return ""
}

// usable returns the machines of a process for which refuse returns no reason. If the
// process is not needed, it returns one nil machine.
func (w *workshop) usable(p authority.Process, needed bool, refuse func(*machine) string) []*machine {
	if !needed {
		return []*machine{nil}
	}
	var able []*machine
	for _, m := range w.machines[p] {
		if reason := refuse(m); reason != "" {
			id := m.ID
			if w.refusals[p] == nil {
				w.refusals[p] = map[string]string{}
			}
			if _, known := w.refusals[p][id]; !known {
				w.refusals[p][id] = reason
			}
			continue
		}
		able = append(able, m)
	}
	// Leave out each machine for which another one is at least as good in every
	// respect: it is never cheaper, for any quantity.
	if len(able) < 2 {
		return able
	}
	var kept []*machine
	for i, m := range able {
		beaten := slices.ContainsFunc(able[:i], func(other *machine) bool { return other.noWorse(m) }) ||
			slices.ContainsFunc(able[i+1:], func(other *machine) bool { return other.noWorse(m) && !m.noWorse(other) })
		if !beaten {
			kept = append(kept, m)
		}
	}
	return kept
}

// noWorse reports whether m is at least as good as than in every figure that the lines
// of a machine depend on.
func (m *machine) noWorse(than *machine) bool {
	return slices.Equal(m.WasteFrom, than.WasteFrom) && slices.Equal(m.WasteThen, than.WasteThen) && m.Speed >= than.Speed && m.SetupMinutes <= than.SetupMinutes && m.SetupWaste <= than.SetupWaste && m.WastePercent <= than.WastePercent &&
		m.HourlyRate <= than.HourlyRate && m.Crew <= than.Crew && m.Power <= than.Power && m.StackHeight >= than.StackHeight &&
		m.Strips == than.Strips && (m.labor <= than.labor || m.Crew == 0) && (m.electricity <= than.electricity || m.Power == 0) &&
		m.adhesive.Consumption <= than.adhesive.Consumption && m.adhesive.Price.Amount <= than.adhesive.Price.Amount
}

// maxRefusals bounds the devices in one detail.
const maxRefusals = 20

// refused lists the reasons why devices of the given processes could not be used.
func (w *workshop) refused(processes ...authority.Process) string {
	var all []string
	for _, p := range processes {
		ids := make([]string, 0, len(w.refusals[p]))
		for id := range w.refusals[p] {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, cmp.Compare)
		for _, id := range ids {
			all = append(all, fmt.Sprintf("%s %s: %s", p, id, w.refusals[p][id]))
		}
	}
	if len(all) > maxRefusals {
		all = append(all[:maxRefusals], "and others")
	}
	return strings.Join(all, "; ")
}
