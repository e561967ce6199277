// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/test/apitest"
)

// edition is a snapshot of an owner with the mark of its rates.
type edition struct {
	owner, mark string
	span        effective
}

// editions returns five snapshots of each owner. Each has its own rates for the same
// identifiers.
func editions(t *testing.T, server *apitest.Server) map[string]edition {
	t.Helper()
	all := map[string]edition{}
	for o, owner := range []string{authority.Platform, acme, stark, globex, "org_nobody"} {
		for version := range 5 {
			mark := int64(101 + 20*o + version)
			content := apitest.Printer(owner, mark)
			content.Policy.QuantityBreaks = []int64{int64(100 * (version + 1))}
			span := server.InForce(t, content)
			all[span.Value.ID()] = edition{owner, fmt.Sprintf(".000%d", mark), span}
		}
	}
	return all
}

// swap puts random snapshots in force: none for some owners, several for others.
func swap(server *apitest.Server, r *rand.Rand, all map[string]edition, ids []string) {
	owners := map[string][]effective{}
	for range r.IntN(10) {
		one := all[ids[r.IntN(len(ids))]]
		owners[one.owner] = append(owners[one.owner], one.span)
	}
	server.Authority.Publish(owners, server.Clock.Now())
}

// asking is a session and its organization.
type asking struct{ organization, token string }

// TestFiguresComeOnlyFromOwnData sends random requests, including hostile ones, while the
// data of all organizations are replaced continuously.
func TestFiguresComeOnlyFromOwnData(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	letPreview(server)
	server.Partner("globex", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.Capabilities = append(s.Capabilities, v1alpha1.CapabilityGrant{Name: "xjdf-costing"})
	})
	all := editions(t, server)
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var sessions []asking
	for key, organization := range map[string]string{"acme-live": acme, "stark-live": stark} {
		sessions = append(sessions, asking{organization, server.Session(t, key)})
	}
	stop := make(chan struct{})
	var swaps, readers sync.WaitGroup
	var swapped atomic.Int64
	swaps.Go(func() {
		r := rand.New(rand.NewPCG(20261122, 1))
		for {
			select {
			case <-stop:
				return
			default:
				swap(server, r, all, ids)
				swapped.Add(1)
			}
		}
	})
	var figured, refused atomic.Int64
	for reader := range 4 {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(20261122, uint64(reader+2)))
			for range 60 {
				// Each request meets other data, even if the machine is busy.
				for before := swapped.Load(); swapped.Load() == before; {
					runtime.Gosched()
				}
				who := sessions[r.IntN(len(sessions))]
				rec := httptest.NewRecorder()
				server.Handler.ServeHTTP(rec, randomRequest(t, server, r, who))
				if wantOwn(t, rec, who.organization, all) {
					figured.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	readers.Wait()
	close(stop)
	swaps.Wait()
	if figured.Load() < 10 || refused.Load() < 10 {
		t.Errorf("%d answers with figures, %d without; the random requests no longer cover both cases", figured.Load(), refused.Load())
	}
}

// randomRequest returns a request of a session that may name other organizations.
func randomRequest(t *testing.T, server *apitest.Server, r *rand.Rand, who asking) *http.Request {
	t.Helper()
	owners := []string{acme, stark, globex, authority.Platform, "org_nobody"}
	amount := 1 + r.IntN(90_000) // as much as may be quoted, and then some
	document := flyer(`"Amount":5000`, fmt.Sprintf(`"Amount":%d,"MinAmount":1,"MaxAmount":%d`, amount, amount+r.IntN(30_000)))
	members := ""
	switch r.IntN(8) {
	case 0:
		members = preview
	case 1:
		members = fmt.Sprintf(`"organizationId":%q,`, owners[r.IntN(len(owners))])
	case 2:
		members = fmt.Sprintf(`"organizationId":%q,`, who.organization)
	case 3:
		document = strings.Replace(document, `"JobID":"J-1"`, fmt.Sprintf(`"JobID":%q,"organizationId":%q`, owners[r.IntN(len(owners))], owners[r.IntN(len(owners))]), 1)
	case 4:
		document = strings.ReplaceAll(document, "gloss-135", []string{"silk", "press", "plate"}[r.IntN(3)])
	}
	header := map[string]string{"Authorization": "Bearer " + who.token}
	if r.IntN(6) == 0 {
		header["X-Organization-Id"] = owners[r.IntN(len(owners))]
		header["X-API-Key"] = server.Key([]string{"acme-live", "stark-live", "globex-live"}[r.IntN(3)])
	}
	return server.Build(t, apitest.Request{Method: "POST", Path: xjdfapi.CostingPath, Body: body(document, members), Header: header})
}

var snapshotID = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// wantOwn checks that an answer names only snapshots of one organization, and that each rate
// is in the named snapshot. It reports whether there are figures.
func wantOwn(t *testing.T, rec *httptest.ResponseRecorder, organization string, all map[string]edition) bool {
	t.Helper()
	text := rec.Body.String()
	for _, id := range snapshotID.FindAllString(text, -1) {
		if all[id].owner != organization {
			t.Errorf("%s got a snapshot of %q", organization, all[id].owner)
		}
	}
	var answer struct {
		figures
		Estimate *figures
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil {
		t.Errorf("cannot read the answer with status %d: %v", rec.Code, err)
		return false
	}
	got := &answer.figures
	if rec.Code != http.StatusOK {
		if got = answer.Estimate; got == nil {
			wantNoFigures(t, rec.Code, text, all)
			return false
		}
	}
	own := all[got.Snapshot.ID]
	if own.owner != organization || got.Snapshot.Approval != own.span.Approval {
		t.Errorf("%s got the unexpected snapshot %+v", organization, got.Snapshot)
	}
	lines := 0
	for _, b := range got.Breaks {
		for _, line := range b.Lines {
			lines++
			if want := rateOf(own.span.Value, line.Resource.Family, line.Resource.ID); line.Rate != want {
				t.Errorf("%s %s has the rate %s, want %s of %s", line.Resource.Family, line.Resource.ID, line.Rate, want, own.owner)
			}
		}
	}
	if lines == 0 {
		t.Error("the figures have no lines")
	}
	return lines > 0
}

func wantNoFigures(t *testing.T, status int, text string, all map[string]edition) {
	t.Helper()
	for _, one := range all {
		if strings.Contains(text, one.mark) {
			t.Errorf("the answer with status %d has a rate of %s: %s", status, one.owner, text)
		}
	}
}

// rateOf returns the rate of a resource in a snapshot.
func rateOf(s *authority.Snapshot, family authority.Family, id string) string {
	switch family {
	case authority.FamilyMedia:
		m, _ := s.Media(id)
		return m.Price.Amount.String()
	case authority.FamilyDevice:
		d, _ := s.Device(id)
		return d.HourlyRate.String()
	case authority.FamilyInk:
		i, _ := s.Ink(id)
		return i.Price.Amount.String()
	case authority.FamilyPlate:
		p, _ := s.Plate(id)
		return p.Price.Amount.String()
	case authority.FamilyElectricity:
		e, _ := s.Electricity(id)
		return e.Price.Amount.String()
	case authority.FamilyLabor:
		l, _ := s.Labor(id)
		return l.Price.Amount.String()
	default:
		return "no rate of " + string(family)
	}
}
