// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"bytes"
	"context"
	"errors"
	"html"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
)

// killed engages the kill switch of a rollout that is Live in the demo.
const killed = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: CapabilityRollout
metadata:
  name: rfq-create
spec:
  capability: rfq-create
  stage: Live
  change:
    ticket: REL-1
  killSwitch:
    state: Engaged
    reason: INC-9
`

// compares sends the form of manifests with fields in order: a name and a value each. The
// field "file" is an upload.
func (b *browser) compares(t testing.TB, fields ...string) shown {
	t.Helper()
	return b.uploads(t, "/ops/compare", "a.yaml", fields...)
}

// uploads sends a form with fields in order. The field "file" is an upload with a name.
func (b *browser) uploads(t testing.TB, path, file string, fields ...string) shown {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		part, err := form.CreateFormField(fields[i])
		if fields[i] == "file" {
			part, err = form.CreateFormFile("file", file)
		} else if name, ok := strings.CutPrefix(fields[i], "file="); ok {
			part, err = form.CreateFormFile("file", name)
		}
		if err != nil {
			t.Fatalf("form field %s: %v", fields[i], err)
		}
		_, _ = part.Write([]byte(fields[i+1])) // a buffer
	}
	if err := form.Close(); err != nil {
		t.Fatalf("form.Close: %v", err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.send(t, r)
}

func TestProposedChangeIsCompared(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	operator := d.signedIn(t, "platform-live")
	for name, tc := range map[string]struct {
		fields []string
		status int
		want   []string
	}{
		"a text that closes a capability": {[]string{"manifests", killed}, 200, []string{`<h2 id="closes">`, `>acme</a>`, "rfq-create", "<td>Open</td><td>Killed</td><td>at once</td>"}},
		"an upload replaces the text":     {[]string{"manifests", "a: b", "file", killed}, 200, []string{`<h2 id="closes">`}},
		"an empty upload does not":        {[]string{"manifests", killed, "file", ""}, 200, []string{`<h2 id="closes">`}},
		"line ends of a browser":          {[]string{"manifests", strings.ReplaceAll(killed, "\n", "\r\n")}, 200, []string{`<h2 id="closes">`}},
		"a change that changes nothing":   {[]string{"manifests", "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"}, 200, []string{"Opens</dt><dd>0", "Closes</dt><dd>0", "Changes</dt><dd>0"}},
		"a complete set without partners": {[]string{"manifests", killed, "complete", "on"}, 422, []string{"contains no PartnerEntitlement", " checked"}},
		"a line at fault":                 {[]string{"manifests", killed + "  color: red\n"}, 422, []string{"manifests.yaml:13: spec.color: unknown field"}},
		"no text":                         {[]string{"manifests", " \n"}, 400, []string{"Paste manifests, or choose a file."}},
		"a text of 1 MiB and one byte":    {[]string{"manifests", strings.Repeat("#", 1<<20+1)}, 400, []string{"larger than 1 MiB"}},
		"a body beyond the limit":         {[]string{"other", strings.Repeat("#", 1<<20), "another", strings.Repeat("#", 1<<20), "third", strings.Repeat("#", 1<<20)}, 400, []string{"The form could not be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			page := operator.compares(t, tc.fields...).want(t, tc.status, "Proposed change")
			for _, want := range tc.want {
				if !strings.Contains(page.text, want) {
					t.Errorf("the page lacks %q:\n%s", want, page.text)
				}
			}
		})
	}
	operator.post(t, "/ops/compare", url.Values{"manifests": {killed}}).want(t, http.StatusBadRequest, "The form could not be read")
	golden(t, "ops-compare", operator.compares(t, "manifests", killed).text)
	golden(t, "ops-compare-form", operator.get(t, "/ops/compare").text)
}

// TestProposedTextIsOnlyInItsForm sends values that must not be repeated elsewhere, in places
// where they are faults.
func TestProposedTextIsOnlyInItsForm(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	operator := d.signedIn(t, "platform-live")
	const value = "aGlkZGVuLXZhbHVl"
	for _, text := range []string{
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {key: " + value + "}\n",
		"apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {key: \"" + value + "!\"}\n",
		killed + "  hold: {since: " + value + "}\n",
		"a: '" + value,
		"\n</textarea><b>" + value,
	} {
		page := operator.compares(t, "manifests", text)
		_, form, _ := strings.Cut(page.text, "<textarea")
		form, after, _ := strings.Cut(form, "</textarea>")
		_, form, _ = strings.Cut(form, ">")
		if strings.Count(page.text, value) != 1 || strings.Contains(after, value) || html.UnescapeString(form) != "\n"+text {
			t.Errorf("%q is not only in the form:\n%s", text, page.text)
		}
	}
	if strings.Contains(d.log.String(), value) {
		t.Errorf("the log contains a proposed value: %s", d.log)
	}
}

// slow is a reader of manifests that signals and waits until its context ends.
type slow struct{ started chan struct{} }

// Propose implements dashboard.Manifests.
func (s slow) Propose(ctx context.Context, _ posture.Inputs, _ []byte, _ bool, _ time.Time) (posture.Inputs, error) {
	close(s.started)
	if deadline, bounded := ctx.Deadline(); !bounded || time.Until(deadline) > 10*time.Second {
		return posture.Inputs{}, errors.New("the comparison has no deadline")
	}
	<-ctx.Done()
	return posture.Inputs{}, ctx.Err()
}

func TestOneComparisonRunsAtATime(t *testing.T) {
	t.Parallel()
	blocking := slow{make(chan struct{})}
	d := newDashboard(t, withOps, func(c *dashboard.Config) { c.Ops.Manifests = blocking })
	operator := d.signedIn(t, "platform-live")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan *httptest.ResponseRecorder)
	go func() {
		body := "--x\r\nContent-Disposition: form-data; name=\"manifests\"\r\n\r\na: b\r\n--x--\r\n"
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/ops/compare", strings.NewReader(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.AddCookie(&http.Cookie{Name: cookieName, Value: operator.cookie})
		rec := httptest.NewRecorder()
		d.handler.ServeHTTP(rec, r)
		ended <- rec
	}()
	<-blocking.started
	if page := (&browser{dashboard: d, cookie: operator.cookie}).compares(t, "manifests", killed); page.Code != http.StatusServiceUnavailable || page.Header().Get("Retry-After") == "" {
		t.Errorf("a second comparison is answered %d: %s", page.Code, page.text)
	}
	cancel()
	if rec := <-ended; rec.Code != http.StatusServiceUnavailable || !strings.Contains(rec.Body.String(), "takes longer than 10s") {
		t.Errorf("an ended comparison is answered %d: %s", rec.Code, rec.Body)
	}
}

// TestOnlyOperatorsCompare posts the form with keys of others.
func TestOnlyOperatorsCompare(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	if page := (&browser{dashboard: d}).compares(t, "manifests", killed); page.Code != http.StatusSeeOther {
		t.Errorf("without a session: %d", page.Code)
	}
	for _, key := range []string{"acme-live", "acme-test", "globex-live"} {
		d.signedIn(t, key).compares(t, "manifests", killed).want(t, http.StatusForbidden, "ops:read")
	}
}

// FuzzCompareForm sends any body to the form.
func FuzzCompareForm(f *testing.F) {
	d := newDashboard(f, withOps)
	d.Limit("platform", "partner", 1_000_000_000)
	operator := d.signedIn(f, "platform-live")
	f.Add("--x\r\nContent-Disposition: form-data; name=\"manifests\"\r\n\r\n"+killed+"\r\n--x--\r\n", "multipart/form-data; boundary=x")
	f.Add("manifests=a", "application/x-www-form-urlencoded")
	f.Add("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n--x", "multipart/mixed; boundary=x")
	f.Fuzz(func(t *testing.T, body, contentType string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/ops/compare", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		r.AddCookie(&http.Cookie{Name: cookieName, Value: operator.cookie})
		rec := httptest.NewRecorder()
		d.handler.ServeHTTP(rec, r)
		if rec.Code != http.StatusOK && rec.Code != http.StatusBadRequest && rec.Code != http.StatusUnprocessableEntity {
			t.Errorf("%q is answered %d: %s", body, rec.Code, rec.Body)
		}
	})
}
