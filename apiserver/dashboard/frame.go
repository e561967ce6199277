// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

// styleFile is the one file that every page refers to.
const styleFile = "dashboard.css"

//go:embed dashboard.css
var styleSheet []byte

// pageName names a page in the navigation and in the log.
type pageName string

const (
	pageOverview     pageName = "overview"
	pageRFQs         pageName = "rfqs"
	pageRFQ          pageName = "rfq"
	pageJobs         pageName = "preflight"
	pageJob          pageName = "preflight-job"
	pageWebhooks     pageName = "webhooks"
	pageEndpoint     pageName = "webhook-endpoint"
	pageDelivery     pageName = "webhook-delivery"
	pageRequests     pageName = "requests"
	pageRequest      pageName = "request"
	pageCapabilities pageName = "capabilities"
	pageContracts    pageName = "contracts"
	pageTour         pageName = "tour"
	pageOpsPosture   pageName = "ops-posture"
	pageOpsPartner   pageName = "ops-partner"
	pageOpsRollouts  pageName = "ops-rollouts"
	pageOpsQueue     pageName = "ops-queue"
	pageOpsDenials   pageName = "ops-denials"
	pageSignIn       pageName = "sign-in"
	pageMessage      pageName = "message"
)

// frame surrounds the content of every page.
type frame struct {
	title string
	page  pageName
	// live adds the script that follows a job and, without scripts, a refresh.
	live bool
	// visitor is nil if nobody has signed in.
	visitor *visitor
	// docs and tour report whether the listener serves the documentation and the tour.
	docs, tour bool
}

// visitor is the organization or the person who has signed in.
type visitor struct {
	name string
	// test reports whether everything on the page belongs to the sandbox.
	test bool
	// partner and operator report which pages are linked.
	partner, operator bool
}

func (v *visitor) mode() string {
	if v.test {
		return "Sandbox"
	}
	return "Production"
}

func (b *board) frame(v *visit, a answer) frame {
	f := frame{title: a.title, page: a.page, live: a.live, docs: b.Docs, tour: b.Tour != nil}
	if v.caller.Valid() {
		f.visitor = &visitor{name: v.organization(), test: v.caller.Tenant().Mode == tenant.Test, operator: b.operates(v, v.caller)}
		f.visitor.partner = v.person == nil && (!f.visitor.operator || v.snapshot.Standing(v.caller, posture.ScopeAccountRead, v.now).Allowed())
	}
	return f
}

// organization is what people call the caller's organization, or the person who has
// signed in without one.
func (v *visit) organization() string {
	if v.person != nil {
		return cmp.Or(v.person.Name, v.person.Subject)
	}
	if name := v.caller.Terms().DisplayName; name != "" {
		return name
	}
	return v.caller.Tenant().Organization
}

// instant is a time as pages show it. The zero instant is none.
type instant time.Time

// known reports whether there is a time at all.
func (i instant) known() bool { return !time.Time(i).IsZero() }

// machine is the time for the attribute datetime.
func (i instant) machine() string { return time.Time(i).UTC().Format(time.RFC3339) }

// String is the time for people.
func (i instant) String() string { return time.Time(i).UTC().Format("2 Jan 2006, 15:04 UTC") }

// prefixed is a text after its prefix, or nothing if there is no text.
func prefixed[S ~string](prefix string, text S) string {
	if text == "" {
		return ""
	}
	return prefix + string(text)
}

// beyond says of an empty page of a list that it is not the first one.
func beyond(first string) string {
	if first == "" {
		return ""
	}
	return " beyond this point"
}

// comma separates the items of a list.
func comma(i int) string {
	if i == 0 {
		return ""
	}
	return ", "
}

// count is a number of things.
func count[N ~int | ~int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// file serves one of the files that pages refer to, which browsers may keep and ask
// for again.
func file(name, mediaType string, text []byte) http.Handler {
	sum := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			header.Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are served here.", http.StatusMethodNotAllowed)
			return
		}
		header.Set("Content-Type", mediaType)
		header.Set("Cache-Control", "no-cache")
		header.Set("ETag", tag)
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(text))
	})
}
