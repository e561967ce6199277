// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/test/apitest"
)

// mark returns the text with which all data of an owner begin, and no data of others.
func mark(owner string) string {
	return map[string]string{authority.Platform: "zzshared", acme: "zzacme", stark: "zzstark", "org_globex": "zzglobex", "org_nobody": "zznobody"}[owner]
}

func owners() []string { return []string{authority.Platform, acme, stark, "org_globex", "org_nobody"} }

// TestAnswersNeverContainDataOfAnotherOwner sends random requests, including hostile ones,
// while random owners have master data in force.
func TestAnswersNeverContainDataOfAnotherOwner(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	r := rand.New(rand.NewPCG(20261122, 1))
	answered := map[int]int{}
	for i := range 1500 {
		if i%25 == 0 {
			publishSome(t, server, r)
		}
		server.Advance(10 * time.Millisecond) // the rate limit has room
		key := pick(r, "acme-live", "acme-live", "acme-test", "stark-live", "stark-live", "stark-test", "acme-media", "acme-devices", "globex-live", "platform-live", "")
		request := randomRequest(t, server, r, key)
		rec := httptest.NewRecorder()
		server.Handler.ServeHTTP(rec, request)
		answered[rec.Code]++
		source := request.URL.Query().Get("source")
		wantOnly(t, rec, allowed(key, request.URL.Path, source), fmt.Sprintf("%d: %s with %q", i, request.URL, key))
		wantPrivate(t, apitest.Answer{Status: rec.Code, Header: rec.Header(), Body: rec.Body.Bytes()})
	}
	if answered[200] < 300 || answered[400] < 100 || answered[403] < 100 || answered[401] < 50 {
		t.Errorf("answers by status are %v; the random requests no longer cover all cases", answered)
	}
}

// allowed returns the owner whose data an answer may contain, or an empty text.
func allowed(key, path, source string) string {
	if source == "" {
		source = "organization"
		if strings.HasPrefix(path, devicesPath) {
			source = "platform"
		}
	}
	if source == "platform" {
		return authority.Platform
	}
	name, _, _ := strings.Cut(key, "-")
	return map[string]string{"acme": acme, "stark": stark}[name]
}

// wantOnly searches the body and the header for the marks of all owners except one.
func wantOnly(t *testing.T, rec *httptest.ResponseRecorder, owner, what string) {
	t.Helper()
	var answer bytes.Buffer
	_ = rec.Header().Write(&answer) // a buffer takes everything
	answer.Write(rec.Body.Bytes())
	for _, other := range owners() {
		if (other != owner || rec.Code != http.StatusOK) && bytes.Contains(answer.Bytes(), []byte(mark(other))) {
			t.Fatalf("%s returned %d with data of %s:\n%s", what, rec.Code, other, answer.Bytes())
		}
	}
}

func publishSome(t *testing.T, server *apitest.Server, r *rand.Rand) {
	t.Helper()
	var contents []authority.Content
	for _, owner := range owners() {
		if r.IntN(4) > 0 {
			contents = append(contents, content(owner, mark(owner), r.IntN(30)))
		}
	}
	publish(t, server, contents...)
}

func randomRequest(t *testing.T, server *apitest.Server, r *rand.Rand, key string) *http.Request {
	t.Helper()
	query := url.Values{}
	for _, p := range []struct {
		name   string
		values []string
	}{
		{"source", []string{"platform", "organization", "organization", "stark", ""}},
		{"limit", []string{"1", "100", "0", "5"}},
		{"offset", []string{"0", "1", "29", "x"}},
		{"category", []string{"media", "device,ink", "media,device", "all"}},
		{"includeValidation", []string{"true", "false"}},
		{"orgId", owners()},
		{"organization", owners()},
	} {
		if r.IntN(12) == 0 || p.name == "source" && r.IntN(2) == 0 {
			query.Set(p.name, pick(r, p.values...))
		}
	}
	path := pick(r, paths()...)
	if r.IntN(10) == 0 {
		path += pick(r, "/", "/"+stark, "/../"+stark, "%2f"+acme)
	}
	request := server.Build(t, apitest.Request{Method: "GET", Path: path + "?" + query.Encode(), Key: key})
	if r.IntN(8) == 0 {
		request.Header.Set(pick(r, "X-Organization-Id", "X-Tenant", "X-Forwarded-User"), pick(r, owners()...))
	}
	if strings.HasPrefix(path, exportPath) && r.IntN(2) == 0 {
		request.Header.Set("Accept", pick(r, documentJSON, documentXML, "application/xml", "*/*"))
	}
	return request
}

func pick(r *rand.Rand, values ...string) string { return values[r.IntN(len(values))] }

// TestAnswerIsOfOneSnapshotDuringChanges reads pages, devices and exports while the
// snapshots are replaced continuously.
func TestAnswerIsOfOneSnapshotDuringChanges(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	generations := []string{"zzfirst", "zzsecond", "zzthird"}
	var states []map[string][]authority.Effective
	named := map[string]string{} // generation, by the id of its snapshot
	for i, generation := range generations {
		s := snapshot(t, content(acme, generation, 10*(i+1)))
		named[s.ID()] = generation
		states = append(states, map[string][]authority.Effective{acme: {{Value: s}}})
	}
	server.Authority.Publish(states[0], server.Clock.Now())
	stop := make(chan struct{})
	var swaps sync.WaitGroup
	swaps.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				server.Authority.Publish(states[i%len(states)], server.Clock.Now())
			}
		}
	})
	var readers sync.WaitGroup
	for reader := range 4 {
		readers.Go(func() {
			for i := range 60 {
				path := paths()[(reader+i)%3] + "?source=organization"
				rec := httptest.NewRecorder()
				server.Handler.ServeHTTP(rec, server.Build(t, apitest.Request{Method: "GET", Path: path, Key: "acme-live"}))
				wantOneGeneration(t, rec, named)
			}
		})
	}
	readers.Wait()
	close(stop)
	swaps.Wait()
}

func wantOneGeneration(t *testing.T, rec *httptest.ResponseRecorder, named map[string]string) {
	t.Helper()
	var answer struct{ Snapshot struct{ ID string } }
	apitest.Answer{Status: rec.Code, Body: rec.Body.Bytes()}.Into(t, &answer)
	own := named[answer.Snapshot.ID]
	if rec.Code != http.StatusOK || own == "" || !strings.Contains(rec.Body.String(), own) {
		t.Errorf("returned %d with snapshot %q: %s", rec.Code, answer.Snapshot.ID, rec.Body)
	}
	for _, other := range named {
		if other != own && strings.Contains(rec.Body.String(), other) {
			t.Errorf("data of %s are in the answer of %s", other, own)
		}
	}
}
