// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/browsertest"
	"github.com/printmarket/printmarket/test/signontest"
)

// bar is a JavaScript expression that is true if the page shows this progress of a job.
func bar(status string, done, total int) string {
	return fmt.Sprintf(`document.getElementById("state")?.textContent === %q && document.querySelector("progress")?.value === %d &&
		document.querySelector("progress").max === %d && document.getElementById("pages").textContent === "%d of %d pages"`, status, done, total, done, total)
}

// TestAPageFollowsItsJobInABrowser checks that the page of a running job updates without a
// click, under its own Content-Security-Policy.
func TestAPageFollowsItsJobInABrowser(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, func(c *dashboard.Config) { c.Plain = true })
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	b := browsertest.Start(t)
	signIn := b.Open(t)
	signIn.Go(server.URL + "/sign-in")
	signIn.Write("#key", d.Key("acme-live"))
	signIn.Click(".sign-in button")
	signIn.Await(`location.pathname === "/" && document.querySelector("#entitlement")`)
	const ended = `document.getElementById("state")?.textContent === "succeeded" && document.querySelector("a[href*='/report?']")`

	t.Run("with its script it moves without being loaded again", func(t *testing.T) {
		id, p := d.submit(t, acmeLive, "live.pdf"), b.Open(t)
		p.Go(server.URL + "/preflight/" + id)
		p.Await(`document.getElementById("state")?.textContent === "queued" && !document.querySelector("progress").hasAttribute("value")`)
		var kept bool
		p.Eval("window.kept = true", &kept)
		d.begin(t, id)
		d.progress(t, id, 3, 9)
		p.Await("window.kept && " + bar("processing", 3, 9))
		d.progress(t, id, 8, 9)
		p.Await("window.kept && " + bar("processing", 8, 9))
		d.finish(t, id, warned)
		p.Await("!window.kept && " + ended)
		p.Click("a[href*='/report?']")
		p.Await(`document.querySelector("h1")?.textContent === "live.pdf" && getComputedStyle(document.querySelector("main")).maxWidth === "1200px"`)
		p.WantNoErrors(server.URL, 5)
	})
	t.Run("without scripts it refreshes", func(t *testing.T) {
		id, p := d.submit(t, acmeLive, "plain.pdf"), b.Open(t)
		p.Do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		p.Go(server.URL + "/preflight/" + id)
		p.Await(`document.getElementById("state")?.textContent === "queued"`)
		d.begin(t, id)
		d.progress(t, id, 3, 9)
		p.Await(bar("processing", 3, 9))
		d.finish(t, id, warned)
		p.Await(ended)
		p.WantNoErrors(server.URL, 4)
	})
	t.Run("that has ended shows the layers of a page without scripts", func(t *testing.T) {
		id, p := d.pictured(t, 2), b.Open(t)
		p.Do("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		p.Go(server.URL + "/preflight/" + id)
		const shown = `getComputedStyle(document.querySelector(".layer.k%d")).display !== "none" && getComputedStyle(document.querySelector(".layer.k%d")).display === "none"`
		p.Await(fmt.Sprintf(shown, 0, 1))
		p.Click("input.k1")
		p.Await(fmt.Sprintf(shown, 1, 0))
		p.Click(".sheets a[href*='page=2']")
		p.Await(`document.querySelector(".sheets a[aria-current]").innerText.includes("Page 2")`)
		p.WantNoErrors(server.URL, 4)
	})
	t.Run("whose key is revoked is redirected to the sign-in", func(t *testing.T) {
		id, p := d.submit(t, acmeLive, "revoked.pdf"), b.Open(t)
		p.Go(server.URL + "/preflight/" + id)
		p.Await(`document.getElementById("state")?.textContent === "queued"`)
		d.Revoke("acme", "live")
		p.Await(`location.pathname === "/sign-in" && document.body.innerText.includes("Your session has ended.")`)
	})
}

// TestTheTourUpdatesItselfInABrowser checks that the parts of the tour change while the rest of
// the page stays.
func TestTheTourUpdatesItselfInABrowser(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withTour, func(c *dashboard.Config) { c.Plain = true })
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Open(t)
	p.Go(server.URL + "/sign-in?next=/tour")
	p.Write("#key", d.Key("acme-live"))
	p.Click(".sign-in button")
	p.Await(`location.pathname === "/tour" && document.querySelector("#sign-in-done").innerText.includes("Done") && document.querySelector("#rfq-live").innerText.includes("No RFQ yet")`)
	var kept bool
	p.Eval("window.kept = true", &kept)
	d.create(t, acmeLive, "Tour flyers")
	d.inspect(t, acmeLive, adasTour().Flawed, preflightjob.Fail)
	p.Await(`window.kept && document.querySelector("#rfq-live").innerText.includes("Tour flyers") && document.querySelector("#preflight-live").innerText.includes("1 error")`)
	p.WantNoErrors(server.URL, 3)
}

// TestAnOperatorSignsInThroughAForwardedPort uses http on loopback, as with kubectl
// port-forward, and the cookie that is restricted to https.
func TestAnOperatorSignsInThroughAForwardedPort(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Open(t)
	p.Go(server.URL + "/sign-in?next=/ops/queue")
	p.Write("#key", d.Key("platform-live"))
	p.Click(".sign-in button")
	p.Await(`location.pathname === "/ops/queue" && document.querySelector("#workers")`)
	p.WantNoErrors(server.URL, 3)
}

// TestAnOperatorSignsInAtAnIdentityProvider follows the redirects to another origin and back
// in a browser, which enforces cookies and the policy.
func TestAnOperatorSignsInAtAnIdentityProvider(t *testing.T) {
	t.Parallel()
	axe := browsertest.Axe(t)
	// The provider needs the address before the server starts.
	server := httptest.NewUnstartedServer(nil)
	origin := "http://" + server.Listener.Addr().String()
	d := &signOnDashboard{}
	d.testDashboard = newDashboard(t, withOps, func(c *dashboard.Config) {
		d.idp = signontest.New(t, c.Now, origin+signon.CallbackPath)
		c.Ops.SignOn = d.client(t, c.Now, func(s *signon.Config) { s.RedirectURL = origin + signon.CallbackPath })
	})
	d.idp.Claims["preferred_username"] = `<script>alert(1)</script>`
	server.Config.Handler = d.handler
	server.Start()
	t.Cleanup(server.Close)
	p := browsertest.Start(t).Open(t)
	p.Go(origin + "/sign-in?next=/ops/queue")
	for _, violation := range p.Violations(axe) {
		t.Error(violation)
	}
	p.Click("#sign-on a")
	p.Await(`location.pathname === "/ops/queue" && location.search === "" && document.querySelector(".who span").innerText.includes("<script>alert(1)</script>")`)
	p.Go(origin + "/ops")
	p.Click(".who button")
	p.Await(`location.pathname === "/sign-in" && document.querySelector("#sign-on")`)
	d.idp.Change(func(p *signontest.Provider) { p.Claims["groups"] = []string{"staff"} })
	p.Click("#sign-on a")
	p.Await(`location.pathname === "` + signon.CallbackPath + `" && document.body.innerText.includes("You are not a member of a group")`)
	for _, violation := range p.Violations(axe) {
		t.Error(violation)
	}
}
