// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

const (
	mediaPath   = "/api/v1/xjdf/media-catalog"
	devicesPath = "/api/v1/xjdf/devices"
	exportPath  = "/api/v1/xjdf/master-data-export"

	acme, stark = "org_acme01", "org_stark1"
)

func paths() []string { return []string{mediaPath, devicesPath, exportPath} }

func get(t testing.TB, server *apitest.Server, key, path string) apitest.Answer {
	t.Helper()
	return server.Do(t, apitest.Request{Method: "GET", Path: path, Key: key})
}

func per(unit authority.Unit) authority.Price {
	return authority.Price{Amount: 77_123457, Per: unit}
}

// content returns an owner's content with a number of media. All identifiers, names and
// manufacturers begin with the mark.
func content(owner, mark string, media int) authority.Content {
	c := authority.Content{
		Owner: owner, Currency: "EUR", Policy: authority.Policy{MaxTotal: 77_123457},
		Devices: []authority.Device{
			{
				ID: mark + "-press", Name: mark + " press", Manufacturer: mark + " maker", Model: "M 4", Process: authority.ConventionalPrinting,
				MaxSheet: area(530, 750), PrintArea: area(520, 740), Weight: authority.Range{Min: 60 * money.One, Max: 400 * money.One},
				Speed: 15_000 * money.One, HourlyRate: 99_123457, Colors: 4, Perfecting: true, Coater: true, Plate: mark + "-plate",
			},
			{ID: mark + "-folder", Name: mark + " folder", Process: authority.Folding, MaxSheet: area(501, 701), Speed: 8_000 * money.One, MinPages: 4, MaxPages: 32, Folds: []string{"F4-1"}},
		},
		Inks:        []authority.Ink{{ID: mark + "-cyan", Name: mark + " cyan", Separation: "Cyan", Consumption: money.One, Price: per(authority.PerKilogram)}},
		Laminations: []authority.Lamination{{ID: mark + "-film", Name: mark + " film", Texture: "Matte", Thickness: 24 * money.One, Price: per(authority.PerSquareMetre)}},
		Varnishes:   []authority.Varnish{{ID: mark + "-varnish", Name: mark + " varnish", Coating: "UV", Consumption: money.One, Price: per(authority.PerKilogram)}},
		Plates:      []authority.Plate{{ID: mark + "-plate", Name: mark + " plate", Width: 605 * money.One, Height: 745 * money.One, Price: per(authority.PerPiece)}},
		Adhesives:   []authority.Adhesive{{ID: mark + "-pur", Name: mark + " glue", Consumption: money.One, Price: per(authority.PerKilogram)}},
		Electricity: []authority.Electricity{{ID: mark + "-grid", Name: mark + " grid", Price: per(authority.PerKilowattHour)}},
		Labor:       []authority.Labor{{ID: mark + "-trade", Name: mark + " trade", LaborType: "ManageJob", Price: per(authority.PerHour)}},
	}
	for i := range media {
		c.Media = append(c.Media, authority.Media{
			ID: fmt.Sprintf("%s-%06d", mark, i), Name: fmt.Sprintf("%s silk %d", mark, i), ProductCode: "print:flyers:a5", Manufacturer: mark + " mill", MediaType: "Paper",
			Width: 700 * money.One, Height: 1000 * money.One, Weight: 135 * money.One, Thickness: 105_500000, Grain: authority.GrainY, Coating: "Satin", Price: per(authority.PerSheet),
		})
	}
	return c
}

func area(width, height int64) authority.Area {
	return authority.Area{Width: money.FromInt(width), Height: money.FromInt(height)}
}

func snapshot(t testing.TB, c authority.Content) *authority.Snapshot {
	t.Helper()
	s, err := authority.New(c)
	if err != nil {
		t.Fatalf("authority.New: %v", err)
	}
	return s
}

// publish puts contents in force for their owners, since an hour ago.
func publish(t testing.TB, server *apitest.Server, contents ...authority.Content) {
	t.Helper()
	owners := map[string][]authority.Effective{}
	for _, c := range contents {
		owners[c.Owner] = append(owners[c.Owner], authority.Effective{Value: snapshot(t, c), From: server.Clock.Now().Add(-time.Hour)})
	}
	server.Authority.Publish(owners, server.Clock.Now())
}

// publishError makes the master data of acme and of the platform unusable.
func publishError(server *apitest.Server, err error) {
	server.Authority.Publish(map[string][]authority.Effective{acme: {{Err: err}}, authority.Platform: {{Err: err}}}, server.Clock.Now())
}

// newFixture returns an API server with master data of the platform and of acme, but not of
// stark.
func newFixture(t testing.TB) *apitest.Server {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	publish(t, server, content(authority.Platform, "shared", 3), content(acme, "own", 45))
	return server
}

// wantPrivate checks the cache headers of an answer.
func wantPrivate(t testing.TB, a apitest.Answer) {
	t.Helper()
	if got := a.Header["Cache-Control"]; len(got) != 1 || got[0] != "private, no-store" {
		t.Errorf("status %d: Cache-Control is %q, want private, no-store", a.Status, got)
	}
	vary := a.Header["Vary"]
	if len(vary) != 1 || vary[0] != "X-API-Key, Authorization" && vary[0] != "X-API-Key, Authorization, Accept" {
		t.Errorf("status %d: Vary is %q, want the key headers", a.Status, vary)
	}
}

// refused is the expected status and code of an answer.
type refused struct {
	status int
	code   problem.Code
}
