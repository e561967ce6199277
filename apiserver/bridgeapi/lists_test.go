// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/masterdata/catalog"
	"github.com/printmarket/printmarket/internal/masterdata/timeline"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

func wantBody(t *testing.T, a apitest.Answer, want string) {
	t.Helper()
	var got, expected any
	a.Want(t, 200, "").Into(t, &got)
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestMediaPageHasDocumentedFieldsOnly(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	c := content(acme, "own", 45)
	wantBody(t, get(t, server, "acme-media", mediaPath+"?limit=1&offset=43"), fmt.Sprintf(`{
		"source": "organization", "total": 45, "limit": 1, "offset": 43, "nextOffset": 44,
		"items": [{"id": "own-000043", "name": "own silk 43", "manufacturer": "own mill", "mediaType": "Paper", "dimension": {"width": 700, "height": 1000, "unit": "mm"},
			"weight": 135, "thickness": 105.5, "grain": "YDirection", "coating": "Satin"}],
		"snapshot": {"id": %q, "effectiveFrom": "2026-11-20T11:00:00.000Z"}}`, snapshot(t, c).ID()))
}

func TestDevicesHaveCapabilitiesWithoutClaims(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	until := server.Clock.Now().Add(time.Hour)
	s := snapshot(t, content(authority.Platform, "shared", 0))
	server.Authority.Publish(map[string][]authority.Effective{authority.Platform: {{Value: s, Until: until}}}, server.Clock.Now())
	wantBody(t, get(t, server, "acme-devices", devicesPath), fmt.Sprintf(`{
		"source": "platform",
		"items": [
			{"id": "shared-folder", "name": "shared folder", "process": "Folding", "speed": 8000, "minPages": 4, "maxPages": 32, "folds": ["F4-1"]},
			{"id": "shared-press", "name": "shared press", "manufacturer": "shared maker", "model": "M 4", "process": "ConventionalPrinting",
			 "mediaDimension": {"width": 520, "height": 740, "unit": "mm"}, "mediaWeight": {"min": 60, "max": 400},
			 "speed": 15000, "colors": 4, "perfecting": true, "coater": true}],
		"snapshot": {"id": %q, "effectiveTo": "2026-11-20T13:00:00.000Z"}}`, s.ID()))
}

func TestPagesCoverAllMediaOnce(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	var met []string
	for offset := 0; ; {
		var page struct {
			Items                    []struct{ ID string }
			Total, Limit, NextOffset int
		}
		get(t, server, "acme-live", fmt.Sprintf("%s?offset=%d", mediaPath, offset)).Want(t, 200, "").Into(t, &page)
		if page.Total != 45 || page.Limit != 20 {
			t.Errorf("page has total %d and limit %d", page.Total, page.Limit)
		}
		for _, item := range page.Items {
			met = append(met, item.ID)
		}
		if page.NextOffset == 0 {
			break
		}
		offset = page.NextOffset
	}
	var want []string
	for i := range 45 {
		want = append(want, fmt.Sprintf("own-%06d", i))
	}
	if diff := cmp.Diff(want, met); diff != "" {
		t.Errorf("media (-want +got):\n%s", diff)
	}
	for _, offset := range []string{"45", "46", "100000"} {
		a := get(t, server, "acme-live", mediaPath+"?limit=100&offset="+offset).Want(t, 200, "")
		if !strings.Contains(string(a.Body), `"items":[],"total":45,"limit":100,"offset":`+offset+`,"snapshot":{`) {
			t.Errorf("page beyond the last medium: %s", a.Body)
		}
	}
}

func TestDefaultSources(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	for path, want := range map[string]string{
		mediaPath: "own", mediaPath + "?source=organization": "own", mediaPath + "?source=platform": "shared",
		devicesPath: "shared", devicesPath + "?source=organization": "own", devicesPath + "?source=platform": "shared",
		exportPath: "own", exportPath + "?source=organization": "own", exportPath + "?source=platform": "shared",
	} {
		body := string(get(t, server, "acme-live", path).Want(t, 200, "").Body)
		other := map[string]string{"own": "shared", "shared": "own"}[want]
		if !strings.Contains(body, want+"-") || strings.Contains(body, other+"-") {
			t.Errorf("%s did not return the data of %s: %s", path, want, body)
		}
	}
}

func TestEmptyOrganizationDoesNotFallBackToPlatform(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	const envelope = `{"source": "organization", "categories": ["media", "device", "ink", "lamination", "varnish", "plate", "adhesive", "electricity", "labor"], "resourceSets": [], "snapshot": null}`
	wantBody(t, get(t, server, "stark-live", mediaPath), `{"source": "organization", "items": [], "total": 0, "limit": 20, "offset": 0, "snapshot": null}`)
	wantBody(t, get(t, server, "stark-live", devicesPath+"?source=organization"), `{"source": "organization", "items": [], "snapshot": null}`)
	wantBody(t, get(t, server, "stark-live", exportPath), envelope)
	empty := authority.Content{Owner: stark, Currency: "EUR"}
	publish(t, server, content(authority.Platform, "shared", 3), empty)
	described := fmt.Sprintf(`{"id": %q, "effectiveFrom": "2026-11-20T11:00:00.000Z"}`, snapshot(t, empty).ID())
	wantBody(t, get(t, server, "stark-live", mediaPath), `{"source": "organization", "items": [], "total": 0, "limit": 20, "offset": 0, "snapshot": `+described+`}`)
	wantBody(t, get(t, server, "stark-live", exportPath), strings.Replace(envelope, "null", described, 1))
}

// TestUnusableMasterDataAreRefused requests data for which the holder has an error. The data
// of the platform must not replace them.
func TestUnusableMasterDataAreRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		err  error
		want refused
	}{
		"never read":         {timeline.ErrNotLoaded, refused{503, problem.CodeMasterDataUnavailable}},
		"stale":              {timeline.ErrStale, refused{503, problem.CodeMasterDataUnavailable}},
		"damaged":            {timeline.ErrIntegrity, refused{503, problem.CodeMasterDataUnavailable}},
		"unknown error":      {fmt.Errorf("row: %w", fmt.Errorf("broken")), refused{503, problem.CodeMasterDataUnavailable}},
		"too much":           {fmt.Errorf("load: %w", timeline.ErrOverflow), refused{409, problem.CodeMasterDataOverflow}},
		"an identifier dual": {fmt.Errorf("load: %w", timeline.ErrDuplicate), refused{409, problem.CodeMasterDataDuplicate}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := apitest.New(t, apitest.Options{})
			publishError(server, tc.err)
			for _, path := range paths() {
				for _, source := range []string{"organization", "platform"} {
					a := get(t, server, "acme-live", path+"?source="+source).Want(t, tc.want.status, tc.want.code)
					wantPrivate(t, a)
					if retry := a.Header.Get("Retry-After"); (retry == "5") != (tc.want.status == 503) {
						t.Errorf("Retry-After is %q with status %d", retry, a.Status)
					}
					if strings.Contains(string(a.Body), tc.err.Error()) {
						t.Errorf("the answer reveals the cause: %s", a.Body)
					}
				}
			}
		})
	}
}

func TestStaleMasterDataAreRefused(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	server.Advance(5 * time.Minute)
	get(t, server, "acme-live", mediaPath).Want(t, 200, "")
	server.Advance(time.Second)
	get(t, server, "acme-live", mediaPath).Want(t, 503, problem.CodeMasterDataUnavailable).WantRetry(t)
	server.Authority.Withdraw()
	get(t, server, "acme-live", mediaPath).Want(t, 503, problem.CodeMasterDataUnavailable).WantRetry(t)
}

func TestSnapshotOfAnotherOwnerIsNotServed(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	server.Authority.Publish(map[string][]authority.Effective{
		acme: {{Value: snapshot(t, content(stark, "foreign", 2))}}, authority.Platform: {{}},
	}, server.Clock.Now())
	for _, path := range paths() {
		for _, source := range []string{"organization", "platform"} {
			get(t, server, "acme-live", path+"?source="+source).Want(t, 503, problem.CodeMasterDataUnavailable)
		}
	}
}

// TestAnswersContainNoPriceOrCatalogProduct searches for the digits of every price, for the
// names of confidential fields, and for every uid and group of L2.
func TestAnswersContainNoPriceOrCatalogProduct(t *testing.T) {
	t.Parallel()
	server := newFixture(t)
	demo, err := catalog.Demo()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	words := []string{"123457", "EUR", "price", "rate", "productCode", "deviceClass", "icsVersions", "org_", "530", "501", "maxSheet", "setup", "waste", "crew"}
	for _, product := range demo.Products("") {
		words = append(words, product.UID, product.Group)
	}
	for _, path := range append(paths(), exportPath+"?includeValidation=true") {
		body := strings.ToLower(string(get(t, server, "acme-live", path).Want(t, 200, "").Body))
		for _, word := range words {
			if strings.Contains(body, strings.ToLower(word)) {
				t.Errorf("the answer of %s contains %q:\n%s", path, word, body)
			}
		}
	}
}
