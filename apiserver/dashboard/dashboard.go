// SPDX-License-Identifier: Apache-2.0

// Package dashboard is the listener for people: a page that says which
// capabilities are open and where everything else is. It shows nothing about
// any partner, so it needs no sign-in.
package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
)

//go:embed page.gohtml
var files embed.FS

// contentSecurityPolicy allows the page's own style and nothing else.
const contentSecurityPolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// Config is what the page shows.
type Config struct {
	Gates       *posture.Gates
	Now         func() time.Time
	APIURL      string
	RegistryURL string
	OpsURL      string
	// Docs is whether the documentation is served on this listener.
	Docs bool
}

type row struct {
	Name, Stage, Ceiling, Cohort, Why, Next string
}

type page struct {
	Config
	Revision string
	Rows     []row
}

// Handler serves the page at the root.
func Handler(c Config) (http.Handler, error) {
	tmpl, err := template.ParseFS(files, "page.gohtml")
	if err != nil {
		return nil, fmt.Errorf("parse the dashboard page: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		var body bytes.Buffer
		if err := tmpl.Execute(&body, c.page()); err != nil {
			http.Error(w, "The page could not be made.", http.StatusInternalServerError)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Content-Security-Policy", contentSecurityPolicy)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("Cache-Control", "no-store")
		_, _ = w.Write(body.Bytes())
	})
	return mux, nil
}

func (c Config) page() page {
	now := c.Now()
	p := page{Config: c}
	snapshot := c.Gates.Current(now)
	p.Revision = snapshot.Revision()
	rollouts := map[string]posture.RolloutReport{}
	for _, r := range snapshot.Report(now).Rollouts {
		rollouts[r.Name] = r
	}
	for capability := range posture.Capabilities() {
		r := row{Name: capability.String(), Stage: posture.Disabled.Stage(), Ceiling: capability.Definition().Ceiling.Stage(), Why: "NoRollout"}
		if report, ok := rollouts[r.Name]; ok {
			r.Stage, r.Cohort, r.Why = report.EffectiveStage, report.Cohort, ready(report)
			if report.NextTransition != nil {
				r.Next = report.NextTransition.UTC().Format(time.RFC3339)
			}
		}
		p.Rows = append(p.Rows, r)
	}
	return p
}

// ready is the reason of the Ready condition.
func ready(report posture.RolloutReport) string {
	for _, condition := range report.Conditions {
		if condition.Type == "Ready" {
			return condition.Reason
		}
	}
	return ""
}
