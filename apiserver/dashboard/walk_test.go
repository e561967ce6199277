// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/test/browsertest"
)

// fullDashboard is a dashboard with content in every part of every page, and with a mark in
// every text of partners and suppliers.
func fullDashboard(t testing.TB, mark string) *testDashboard {
	t.Helper()
	things, hooks := rfqStub{}, various(mark)
	for i := range 60 {
		things.rfqs = append(things.rfqs, request(i+1, mark))
		hooks.deliveries = append(hooks.deliveries, delivery(i+10, mark))
	}
	for i := range 25 {
		things.quotes = append(things.quotes, quote(t, fmt.Sprint(i), mark))
	}
	d := newDashboard(t, func(c *dashboard.Config) {
		c.RFQs, c.Webhooks, c.Jobs, c.Plain = things, hooks, markedJobs(t, mark), true
		c.Tour, c.Contracts = adasTour(), ending{c.Contracts.(*contracts.Set)}
		c.Ops = &dashboard.Ops{Queue: fullQueue(mark), Denials: denialsOf(c), Audit: audited(60, mark), Manifests: &proposals, MasterData: onlinePrices{}}
	})
	d.fillOverview(t)
	for n := range 60 {
		d.keep(t, logged(n, 404, "NOT_FOUND", mark))
	}
	d.keep(t, denied(60, "KillSwitchEngaged"+mark, 1))
	opens := metav1.NewTime(noon.Add(24 * time.Hour))
	d.Rollout(posture.MasterDataBridge, func(s *v1alpha1.CapabilityRolloutSpec) { s.Schedule = &v1alpha1.Schedule{NotBefore: &opens} })
	d.Rollout(posture.Preflight, func(s *v1alpha1.CapabilityRolloutSpec) { s.Schedule = nil })
	d.Limit("acme", "partner", 1_000_000)
	d.Limit("acme", "preflight", 1_000_000)
	d.fillOps(mark)
	d.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.DisplayName = "Acme Print & Co" + mark
		for i := range s.Keys {
			s.Keys[i].Name += mark
		}
	})
	return d
}

// markedJobs returns jobs in each state, more than one page shows.
func markedJobs(t testing.TB, mark string) jobStub {
	t.Helper()
	all := everyKind(t)
	for i := range 60 {
		all = append(all, jobNamed(t, fmt.Sprintf("%d.pdf", i), mark, nil))
	}
	for i := range all {
		all[i].Profile = "print_ready" + mark
		if all[i].Status == preflightjob.Failed {
			all[i].Failure.Detail += mark
		}
		if all[i].Ticket != nil {
			all[i].Ticket.Colors.Spots = []string{"Gold" + mark}
		}
	}
	return all
}

// notPages lists GET routes that browsers do not display as pages.
var notPages = map[string]string{
	"/contracts/viewer":                  "a page of Swagger UI, which TestContractsAreShownInABrowser opens",
	"/preflight/{id}/progress":           "a stream, which the page of the job opens",
	"/preflight/{id}/report.json":        "a file to be kept",
	"/preflight/{id}/report.xfdf":        "a file to be kept",
	"/preflight/{id}/report.pdf":         "a file to be kept",
	"/ops/rollouts/{capability}/replica": "a part of the page of the rollout, which its script loads",
	"/ops/replicas":                      "a part of the page of all rollouts, which its script loads",
	"/preflight/{id}/pages/{page}":       "a picture, which the page of the job shows",
	"/preflight/{id}/fixed.pdf":          "a file to be kept",
	"/preflight/{id}/annotated.pdf":      "a file to be kept",
	"/preflight/{id}/fixes.json":         "a file to be kept",
	"/preflight/{id}/comparison.json":    "a file to be kept",
}

// walk follows every link in a browser.
type walk struct {
	t testing.TB
	// tab shows pages with success. failing shows errors, which the browser reports in its
	// console.
	tab, failing *browsertest.Tab
	origin       string
	// look checks a page; name identifies it.
	look func(tab *browsertest.Tab, name string)
	// seen counts the pages of each pattern, of which look checks only the first ones.
	seen  map[string]int
	queue []string
	known map[string]bool
}

// alike is the number of checked pages per pattern.
const alike = 3

// walkThrough visits all pages of a dashboard: without a session, then as a partner and as an
// operator.
func walkThrough(t *testing.T, d *testDashboard, look func(tab *browsertest.Tab, name string)) {
	t.Helper()
	server := httptest.NewServer(d.handler)
	t.Cleanup(server.Close)
	b := browsertest.Start(t)
	p := &walk{t: t, tab: b.Open(t), failing: b.Open(t), origin: server.URL, look: look, seen: map[string]int{}, known: map[string]bool{}}
	p.visit("/capabilities", "/sign-in?next=/rfqs")
	p.signIn(p.failing, "no key", "document.querySelector('#notice')")
	look(p.failing, "a sign-in that is refused")
	p.signIn(p.tab, d.Key("acme-live"), "location.pathname === '/'")
	clear(p.known) // what led to the sign-in leads to its page
	p.visit("/", "/capabilities", "/webhooks/endpoints/disabled/deliveries?done=tested", "/webhooks/deliveries/dlv_00002?done=redelivered",
		"/preflight/pref_processing.pdf", "/preflight/pref_succeeded.pdf", "/preflight/pref_failed.pdf")
	p.refusedForm()
	for _, path := range []string{"/nowhere", "/rfqs?status=lost"} {
		p.failing.Go(p.origin + path)
		look(p.failing, path)
	}
	p.signIn(p.tab, d.Key("platform-live"), "location.pathname === '/ops'")
	p.visit("/ops", "/ops?text=unknown", "/ops/partners/globex")
	p.tab.WantNoErrors(server.URL, len(dashboard.Pages()))
	for _, pattern := range dashboard.Pages() {
		if p.seen[pattern] == 0 && notPages[pattern] == "" {
			t.Errorf("no page leads to %s: link it, and add the data that makes the link appear", pattern)
		}
	}
}

// signIn submits a key, and waits for the result.
func (p *walk) signIn(tab *browsertest.Tab, key, reached string) {
	p.t.Helper()
	tab.Go(p.origin + "/sign-in")
	tab.Write("#key", key)
	tab.Click(".sign-in button")
	tab.Await(reached)
}

// refusedForm submits a time that the field of a browser would reject.
func (p *walk) refusedForm() {
	p.t.Helper()
	p.failing.Go(p.origin + "/webhooks/endpoints/mis/deliveries")
	var done bool
	p.failing.Eval(`document.querySelector('#since').type = 'text'; document.querySelector('#since').value = 'yesterday'; true`, &done)
	p.failing.Click("form[action$=recover] button")
	p.failing.Await("document.querySelector('#notice')")
	p.look(p.failing, "a form that is refused")
}

// visit checks pages and all pages that they link.
func (p *walk) visit(paths ...string) {
	p.t.Helper()
	pages := http.NewServeMux()
	for _, pattern := range dashboard.Pages() {
		pages.Handle(pattern, http.NotFoundHandler())
	}
	for _, path := range paths {
		p.follow(path)
	}
	for len(p.queue) > 0 {
		path := p.queue[0]
		p.queue = p.queue[1:]
		_, pattern := pages.Handler(httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, path, nil))
		if p.seen[pattern]++; p.seen[pattern] > alike || notPages[pattern] != "" {
			continue
		}
		p.tab.Go(p.origin + path)
		p.look(p.tab, path)
		var links []string
		p.tab.Eval(`Array.from(document.querySelectorAll('a[href]'), (link) => link.href.replace(/#.*/, ''))`, &links)
		for _, link := range links {
			if own, found := strings.CutPrefix(link, p.origin); found && !strings.HasPrefix(own, "/docs/") {
				p.follow(own)
			}
		}
	}
}

// follow adds a page to the queue.
func (p *walk) follow(path string) {
	if !p.known[path] {
		p.known[path] = true
		p.queue = append(p.queue, path)
	}
}

// unboxed removes the sandbox from the policy of a response: axe waits by timers, which do not
// run in a sandbox.
type unboxed struct{ http.ResponseWriter }

func (u unboxed) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func (u unboxed) WriteHeader(status int) {
	u.open()
	u.ResponseWriter.WriteHeader(status)
}

func (u unboxed) Write(text []byte) (int, error) {
	u.open()
	return u.ResponseWriter.Write(text)
}

func (u unboxed) open() {
	const policy = "Content-Security-Policy"
	u.Header().Set(policy, strings.TrimPrefix(u.Header().Get(policy), "sandbox allow-downloads; "))
}

// axeRows is the number of rows of each table that axe checks. The others look alike, and axe needs
// seconds for a page of a list.
const axeRows = 12

// tablesCut lists the tables that are wider than their boxes. Only the matrix may be, if its first column
// stays when the box scrolls.
const tablesCut = `[...document.querySelectorAll('.wide')].filter((box) => {
		if (box.scrollWidth <= box.clientWidth) return false;
		const matrix = innerWidth < 1440 && box.querySelector('.matrix'), start = box.getBoundingClientRect().left + box.clientLeft;
		if (!matrix) return true;
		box.scrollLeft = box.scrollWidth;
		const stays = matrix.querySelector('tbody th').getBoundingClientRect().left === start;
		box.scrollLeft = 0;
		return !stays;
	}).map((box) => box.innerText.slice(0, 40) + " is " + box.scrollWidth + " pixels wide where there are " + box.clientWidth)`

// tablesStacked counts the tables that are cards.
const tablesStacked = `[...document.querySelectorAll('.wide > table')].filter((table) => getComputedStyle(table).display === 'block').length`

// matrixEdges counts the left edges of the states in the cards of a matrix; one is aligned.
const matrixEdges = `new Set([...document.querySelectorAll('.matrix td > .state')].map((state) => Math.round(state.getBoundingClientRect().left))).size`

// belowLabels lists the values of cards whose lines begin below their label instead of beside it. Lists and
// other blocks begin there.
const belowLabels = `[...document.querySelectorAll('.wide > table:not(.matrix) td[data-label]')]
	.filter((cell) => !cell.querySelector(':scope > :is(details, div, form, ol, p, ul)'))
	.filter((cell) => {
		const text = document.createRange();
		text.selectNodeContents(cell);
		return [...text.getClientRects()].some((line) => line.width > 0 && line.left < cell.getBoundingClientRect().left + 100);
	}).map((cell) => cell.dataset.label + ": " + cell.innerText.slice(0, 60))`

// TestEveryPageKeepsTheRulesOfAccessibility checks every page on a wide screen and on a phone, and its
// contrast in both colour schemes.
func TestEveryPageKeepsTheRulesOfAccessibility(t *testing.T) {
	t.Parallel()
	axe := browsertest.Axe(t)
	d := fullDashboard(t, "")
	boxed := d.handler
	d.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { boxed.ServeHTTP(unboxed{w}, r) })
	walkThrough(t, d, func(tab *browsertest.Tab, name string) {
		check := func(scheme string, width int, violations func(string) []browsertest.Violation) {
			tab.Size(width, 844)
			tab.Scheme(scheme)
			for _, violation := range violations(axe) {
				t.Errorf("%s, %s, %d pixels: %s", name, scheme, width, violation)
			}
			var overflow int
			if tab.Eval("document.documentElement.scrollWidth", &overflow); overflow > width {
				t.Errorf("%s is %d pixels wide where there are %d", name, overflow, width)
			}
		}
		fits := func(width int) {
			tab.Size(width, 844)
			var cut []string
			tab.Eval(tablesCut, &cut)
			for _, table := range cut {
				t.Errorf("%s at %d pixels: %s", name, width, table)
			}
			var stacked int
			if tab.Eval(tablesStacked, &stacked); stacked > 0 && width > 640 {
				t.Errorf("%s at %d pixels: %d tables are cards, which only phones show", name, width, stacked)
			}
		}
		var removed int
		tab.Eval(fmt.Sprintf(`[...document.querySelectorAll("tbody")].flatMap((body) => [...body.rows].slice(%d)).map((row) => row.remove()).length`, axeRows), &removed)
		check("dark", 1280, tab.ContrastViolations)
		check("light", 1280, tab.Violations)
		check("light", 390, tab.Violations)
		for _, width := range []int{1440, 1024, 390} {
			fits(width)
		}
		var below []string
		tab.Eval(belowLabels, &below)
		for _, value := range below {
			t.Errorf("%s: a line of a card begins below its label %s", name, value)
		}
		var edges int
		if tab.Eval(matrixEdges, &edges); edges > 1 {
			t.Errorf("%s: the states of the cards begin at %d places, want one", name, edges)
		}
	})
}

// TestPartnerTextHasNoEffectInABrowser walks through pages that hold
// markup in every text from outside.
func TestPartnerTextHasNoEffectInABrowser(t *testing.T) {
	t.Parallel()
	const mark = `"'><script>alert(1)</script><img src=https://elsewhere.example/x onerror=alert(2)><printmarket-mark></printmarket-mark>`
	var all strings.Builder
	walkThrough(t, fullDashboard(t, mark), func(tab *browsertest.Tab, name string) {
		var elements int
		if tab.Eval("document.querySelectorAll('printmarket-mark, script:not([src]), img, iframe, object, embed, [onerror]').length", &elements); elements != 0 {
			t.Errorf("%s has %d elements of a partner", name, elements)
		}
		var text string
		tab.Eval("document.body.textContent", &text)
		all.WriteString(text)
	})
	for _, text := range []string{
		"Acme Print & Co", "live", "lot 1", "Ghent", "Flyer", "flyers", "Printer 24", "DAP", "ready for print",
		"INC-7", "Ada", "C-1", "edi", "mis", "worker-1", "ENGINE_CRASH", "queue retry pref_10000", "noeviction",
		"rfq_01M3HQ5V0S1TQ8X2ZC4E6GJ9KM", "out of paper", "print_ready", "Gold", "shop",
	} {
		if !strings.Contains(all.String(), text+mark) {
			t.Errorf("no page shows %q with its mark", text)
		}
	}
	if !strings.Contains(all.String(), "printmarket%22%27%3E%3Cscript%3E") {
		t.Error("no page shows the URL of an endpoint with its mark")
	}
}
