// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/tenant"
)

//go:embed pages/*.gohtml
var templates embed.FS

// styleFile is the one file that every page refers to.
const styleFile = "dashboard.css"

//go:embed dashboard.css
var styleSheet []byte

// The names of the pages.
const (
	pageOverview     = "overview"
	pageRFQs         = "rfqs"
	pageRFQ          = "rfq"
	pageJobs         = "preflight"
	pageJob          = "preflight-job"
	pageWebhooks     = "webhooks"
	pageEndpoint     = "webhook-endpoint"
	pageDelivery     = "webhook-delivery"
	pageRequests     = "requests"
	pageRequest      = "request"
	pageCapabilities = "capabilities"
	pageContracts    = "contracts"
	pageTour         = "tour"
	pageOpsPosture   = "ops-posture"
	pageOpsPartner   = "ops-partner"
	pageOpsRollouts  = "ops-rollouts"
	pageOpsQueue     = "ops-queue"
	pageOpsDenials   = "ops-denials"
	pageSignIn       = "sign-in"
	pageMessage      = "message"
)

// pages are the templates by name, each with the frame around it.
type pages map[string]*template.Template

func parsePages() (pages, error) {
	all := pages{}
	for _, name := range []string{
		pageOverview, pageRFQs, pageRFQ, pageJobs, pageJob, pageWebhooks, pageEndpoint, pageDelivery, pageRequests, pageRequest, pageCapabilities, pageContracts, pageTour, pageSignIn, pageMessage,
		pageOpsPosture, pageOpsPartner, pageOpsRollouts, pageOpsQueue, pageOpsDenials,
	} {
		parsed, err := template.ParseFS(templates, "pages/frame.gohtml", "pages/"+name+".gohtml")
		if err != nil {
			return nil, fmt.Errorf("parse the page %s: %w", name, err)
		}
		all[name] = parsed
	}
	return all, nil
}

func (p pages) write(out io.Writer, name string, f frame) error {
	return p[name].ExecuteTemplate(out, "frame.gohtml", f)
}

// frame is what surrounds every page.
type frame struct {
	Title, Page string
	// Visitor is nil where nobody has signed in.
	Visitor    *visitor
	Docs, Tour bool
	// Ops is whether operators have pages here, and SignOn whether an identity provider
	// vouches for them.
	Ops, SignOn bool
	Body        any
}

// visitor is who has signed in.
type visitor struct {
	Name string
	// Test is whether everything on the page is of the sandbox.
	Test bool
	// Partner and Operator tell whose pages are linked.
	Partner, Operator bool
}

func (b *board) frame(v *visit, a answer) frame {
	f := frame{Title: a.title, Page: a.page, Docs: b.Docs, Tour: b.Tour != nil, Ops: b.Ops != nil, SignOn: b.signOn() != nil, Body: a.body}
	if v.caller.Valid() {
		f.Visitor = &visitor{Name: v.organization(), Test: v.caller.Tenant().Mode == tenant.Test, Operator: b.operates(v, v.caller)}
		f.Visitor.Partner = v.person == nil && (!f.Visitor.Operator || v.snapshot.Standing(v.caller, posture.ScopeAccountRead, v.now).Allowed())
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

// Known reports whether there is a time at all.
func (i instant) Known() bool { return !time.Time(i).IsZero() }

// Machine is the time for the attribute datetime.
func (i instant) Machine() string { return time.Time(i).UTC().Format(time.RFC3339) }

// String is the time for people.
func (i instant) String() string { return time.Time(i).UTC().Format("2 Jan 2006, 15:04 UTC") }

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
