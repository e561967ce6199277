// SPDX-License-Identifier: Apache-2.0

package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/dashboard"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/queue"
	"github.com/printmarket/printmarket/internal/requestlog"
	"github.com/printmarket/printmarket/internal/transaction"
)

func TestPagesForOperatorsLookLikeTheirGoldenFiles(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps, func(c *dashboard.Config) { c.Webhooks = various("") })
	d.fillOverview(t)
	d.fillOps("")
	d.SetEdited("globex", posture.XJDF, noon.Add(-24*time.Hour))
	operator := d.signedIn(t, "platform-live")
	for name, path := range map[string]string{
		"ops-posture": "/ops", "ops-posture-sought": "/ops?text=acme&capability=preflight&access=test", "ops-posture-none": "/ops?text=unknown",
		"ops-partner": "/ops/partners/acme", "ops-partner-suspended": "/ops/partners/globex", "ops-rollouts": "/ops/rollouts", "ops-rollout": "/ops/rollouts/xjdf", "ops-queue": "/ops/queue",
	} {
		golden(t, name, operator.get(t, path).want(t, http.StatusOK, "").text)
	}
	d = newDashboard(t, withOps, func(c *dashboard.Config) {
		c.Ops.Queue = queueStub{look: queue.Overview{Server: queue.Server{Durable: true}}}
	})
	golden(t, "ops-queue-empty", d.signedIn(t, "platform-live").get(t, "/ops/queue").want(t, http.StatusOK, "").text)
}

func TestDenialsAreFilteredByPeriod(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.keep(t, denied(5, "NotInCohort", 1), denied(6, "KillSwitchEngaged", 20), denied(90, "ContractEnded", 3), logged(7, 404, "NOT_FOUND", ""))
	operator := d.signedIn(t, "platform-live")
	golden(t, "ops-denials", operator.get(t, "/ops/denials").want(t, http.StatusOK, "").text)
	page := operator.get(t, "/ops/denials?within=24h").want(t, http.StatusOK, "ContractEnded")
	if strings.Contains(page.text, "NOT_FOUND") {
		t.Error("a request for an unknown path counts as refused by a gate")
	}
	for n := range 101 {
		d.keep(t, denied(100+n, fmt.Sprint("Reason", n), 1))
	}
	first := operator.get(t, "/ops/denials?within=7d&capability=rfq-read&partner=acme").want(t, http.StatusOK, `<option selected>rfq-read</option>`)
	const next = "/ops/denials?capability=rfq-read&amp;page=2&amp;partner=acme&amp;within=7d"
	if !strings.Contains(first.text, next) {
		t.Errorf("the first page does not link %s:\n%s", next, first.text)
	}
	operator.get(t, strings.ReplaceAll(next, "&amp;", "&")).want(t, http.StatusOK, "Previous").want(t, http.StatusOK, `value="acme"`).
		want(t, http.StatusOK, "printmarket requests denials --since 168h --organization org_acme01 --capability rfq-read\nprintmarket requests denial-counts --since 168h --organization org_acme01 --capability rfq-read --step 1h")
	operator.get(t, "/ops/denials?within=7d&partner=stark").want(t, http.StatusOK, "No denials in this period.")
	operator.get(t, "/ops/denials?within=30d&page=100").want(t, http.StatusOK, "No more denials.")
	operator.get(t, "/ops/denials?partner=%27%3Brm%20-rf%20%22").want(t, http.StatusOK, `--organization &#39;&#39;\&#39;&#39;;rm -rf &#34;&#39;`)
	for query, says := range map[string]string{
		"within=1y": "1h, 24h, 7d or 30d", "capability=none": "unknown", "code=NONE": "unknown", "page=0": "from 1 to 100", "page=101": "from 1 to 100",
		"partner=" + strings.Repeat("a", 101): "at most 100 bytes",
	} {
		operator.get(t, "/ops/denials?"+query).want(t, http.StatusBadRequest, says)
	}
	d = newDashboard(t, withOps)
	d.signedIn(t, "platform-live").get(t, "/ops/denials").want(t, http.StatusOK, "No denials in this period.")
	d = newDashboard(t, withOps, func(c *dashboard.Config) { c.Ops.Denials = unread{} })
	d.signedIn(t, "platform-live").get(t, "/ops/denials").want(t, http.StatusServiceUnavailable, "")
}

// unread is a request log that fails.
type unread struct{}

// Denials implements dashboard.Denials.
func (unread) Denials(context.Context, requestlog.DenialQuery) ([]requestlog.Denial, error) {
	return nil, transaction.ErrOverloaded
}

// DeniedTimes implements dashboard.Denials.
func (unread) DeniedTimes(context.Context, requestlog.DenialQuery, time.Duration) ([]requestlog.DeniedTime, error) {
	return nil, transaction.ErrOverloaded
}

// TestNoPartnerReachesAPageForOperators requests each page with every key that is not an
// operator's, and checks that no response contains data for operators.
func TestNoPartnerReachesAPageForOperators(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	people, covered := map[string]*browser{}, map[string]bool{}
	for _, key := range []string{"acme-live", "acme-test", "acme-reads", "stark-live", "stark-test", "globex-live", "platform-live", "platform-reads"} {
		people[key] = d.signedIn(t, key)
	}
	patterns := http.NewServeMux()
	for _, pattern := range dashboard.OpsPages() {
		patterns.Handle(pattern, http.NotFoundHandler())
	}
	for _, path := range opsPaths {
		address, err := url.Parse(path)
		if err != nil {
			t.Fatalf("url.Parse %v: %v", path, err)
		}
		_, pattern := patterns.Handler(&http.Request{Method: http.MethodGet, URL: address})
		covered[pattern] = true
		(&browser{dashboard: d}).get(t, path).toSignIn(t)
		for key, b := range people {
			if strings.HasPrefix(key, "platform") {
				b.get(t, path).want(t, http.StatusOK, "Posture</a>")
				continue
			}
			page := b.get(t, path).want(t, http.StatusForbidden, "ops:read")
			own, _, _ := strings.Cut(key, "-")
			for _, secret := range []string{"org_acme", "org_stark", "org_globex", "org_market", "pref_", "worker-1", "Posture</a>", "/ops/queue"} {
				if secret != "org_"+own && strings.Contains(page.text, secret) {
					t.Errorf("%s shows %q to %s", path, secret, key)
				}
			}
		}
	}
	for _, pattern := range dashboard.OpsPages() {
		// TestUpdatingARolloutDoesNotRenewTheSession requests the parts of pages.
		if !covered[pattern] && !strings.HasSuffix(pattern, "/replica") && pattern != "/ops/replicas" {
			t.Errorf("no request of this test matches %s", pattern)
		}
	}
}

// TestOperatorIsCheckedOnEveryRequest changes what the key may do between two
// requests.
func TestOperatorIsCheckedOnEveryRequest(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(*testDashboard)
		status int
		says   string
	}{
		"the key is revoked": {func(d *testDashboard) { d.Revoke("platform", "live") }, http.StatusSeeOther, ""},
		"the scope is taken away": {func(d *testDashboard) {
			d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = []v1alpha1.Scope{"quotes:ingest"} })
		}, http.StatusForbidden, "ops:read"},
		"the platform is suspended": {func(d *testDashboard) {
			d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.State = v1alpha1.StateSuspended })
		}, http.StatusForbidden, "suspended"},
		"the platform is a partner": {func(d *testDashboard) {
			d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.Package = v1alpha1.PackageEnterprise })
		}, http.StatusForbidden, "ops:read"},
		"another organization owns the key": {func(d *testDashboard) {
			d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.OrganizationID = "org_other1" })
		}, http.StatusSeeOther, ""},
		"no posture is in force": {func(d *testDashboard) { d.Gates.Publish(nil, noon) }, http.StatusServiceUnavailable, "rejects all requests"},
		"it has asked too often": {func(d *testDashboard) { d.Limit("platform", "partner", 0) }, http.StatusTooManyRequests, "exceeded its rate limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDashboard(t, withOps)
			operator := d.signedIn(t, "platform-live")
			operator.get(t, "/ops").want(t, http.StatusOK, "acme")
			tc.change(d)
			for _, path := range opsPaths {
				page := operator.get(t, path).want(t, tc.status, tc.says)
				if strings.Contains(page.text, "org_acme01") {
					t.Errorf("%s contains a partner: %s", path, page.text)
				}
			}
		})
	}
}

func TestOperatorIsRedirectedToThePagesForOperators(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	for key, home := range map[string]string{"platform-live": "/ops", "platform-reads": "/ops"} {
		operator := d.signedIn(t, key)
		if to := operator.get(t, "/").want(t, http.StatusSeeOther, "").Header().Get("Location"); to != home {
			t.Errorf("%s redirects to %s, want %s", key, to, home)
		}
		page := operator.get(t, "/ops").text
		for _, link := range []string{`href="/rfqs"`, `href="/preflight"`, `href="/webhooks"`, `name="to"`} {
			if strings.Contains(page, link) {
				t.Errorf("%s is offered %s, which is for partners", key, link)
			}
		}
		for _, path := range []string{"/rfqs", "/preflight", "/webhooks"} {
			operator.get(t, path).want(t, http.StatusForbidden, "account:read")
		}
	}
	b := &browser{dashboard: d}
	to := b.post(t, "/sign-in", url.Values{"key": {d.Key("platform-live")}, "next": {"/ops/partners/acme"}}).want(t, http.StatusSeeOther, "").Header().Get("Location")
	if to != "/ops/partners/acme" {
		t.Errorf("the sign-in redirects to %s, not to the requested page", to)
	}
}

// TestOperatorThatIsAlsoAPartnerHasBothKindsOfPages signs in with a key of the platform that
// also has the scope account:read.
func TestOperatorThatIsAlsoAPartnerHasBothKindsOfPages(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = []v1alpha1.Scope{"ops:read", "account:read"} })
	operator := d.signedIn(t, "platform-live")
	operator.get(t, "/").want(t, http.StatusOK, `href="/ops/queue"`).want(t, http.StatusOK, `href="/rfqs"`)
}

func TestTestKeySeesNoProductionData(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	(&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {d.Key("platform-test")}}).want(t, http.StatusForbidden, "require a live key")
	d.Partner("platform", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = []v1alpha1.Scope{"ops:read", "account:read"} })
	operator := d.signedIn(t, "platform-test")
	for _, path := range opsPaths {
		if page := operator.get(t, path).want(t, http.StatusForbidden, "require a live key"); strings.Contains(page.text, "org_acme01") {
			t.Errorf("%s contains a partner: %s", path, page.text)
		}
	}
}

func TestPagesForOperatorsAreOptional(t *testing.T) {
	t.Parallel()
	d := newDashboard(t)
	acme := d.signedIn(t, "acme-live")
	for _, path := range opsPaths {
		(&browser{dashboard: d}).get(t, path).want(t, http.StatusNotFound, "This page does not exist")
		acme.get(t, path).want(t, http.StatusNotFound, "This page does not exist")
	}
	(&browser{dashboard: d}).post(t, "/sign-in", url.Values{"key": {d.Key("platform-live")}}).want(t, http.StatusForbidden, "account:read")
}

func TestMatrixIsFiltered(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps, func(c *dashboard.Config) { c.Webhooks = various("") })
	d.fillOverview(t)
	d.fillOps("")
	d.SetEdited("globex", posture.XJDF, noon.Add(-24*time.Hour))
	operator := d.signedIn(t, "platform-live")
	for name, tc := range map[string]struct {
		query string
		want  []string
	}{
		"not at all":                            {"", []string{"acme", "globex", "platform", "stark"}},
		"by part of a name, in any case":        {"text=STA", []string{"stark"}},
		"by the organization":                   {"text=org_globex", []string{"globex"}},
		"by the display name":                   {"text=print+%26+co", []string{"acme"}},
		"to who is let through by a capability": {"capability=rfq-create&access=open", []string{"acme", "stark"}},
		"to who is let through in the sandbox":  {"capability=xjdf&access=test", []string{"stark"}},
		"to who is refused":                     {"capability=order-batch&access=closed", []string{"acme", "stark"}},
		"to who was granted nothing":            {"access=-&capability=rfq-read", []string{"globex", "platform"}},
		"to no partner":                         {"text=unknown", nil},
		"to a page beyond the last":             {"page=9223372036854775807", nil},
	} {
		t.Run(name, func(t *testing.T) {
			page := operator.get(t, "/ops?"+tc.query).want(t, http.StatusOK, "Posture")
			if diff := cmp.Diff(tc.want, partnersOf(page)); diff != "" {
				t.Errorf("partners (-want +got):\n%s", diff)
			}
		})
	}
	for _, query := range []string{"capability=teleport", "access=all", "page=0", "page=two", "text=" + strings.Repeat("x", 101)} {
		operator.get(t, "/ops?"+query).want(t, http.StatusBadRequest, "Invalid request")
	}
}

func partnersOf(page shown) []string {
	var names []string
	for _, match := range regexp.MustCompile(`<th scope="row"><a href="/ops/partners/[^"]+">([^<]+)</a>`).FindAllStringSubmatch(page.text, -1) {
		names = append(names, match[1])
	}
	return names
}

// TestMatrixListsEachOfAThousandPartnersOnce follows the links to the last page.
// checkAnswer limits the size of each page.
func TestMatrixListsEachOfAThousandPartnersOnce(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.publishPartners(1000)
	operator, seen := d.signedIn(t, "platform-live"), map[string]int{}
	later := regexp.MustCompile(`<a href="([^"]+)" rel="next">`)
	pages := 0
	for path := "/ops"; path != ""; pages++ {
		page := operator.get(t, path).want(t, http.StatusOK, "of 1001")
		for _, name := range partnersOf(page) {
			seen[name]++
		}
		path = ""
		if match := later.FindStringSubmatch(page.text); match != nil {
			path = strings.ReplaceAll(match[1], "&amp;", "&")
		}
	}
	if len(seen) != 1001 || pages != 21 {
		t.Errorf("%d partners on %d pages, want 1001 on 21", len(seen), pages)
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%s is on %d pages", name, times)
		}
	}
	for _, path := range []string{"/ops/partners/partner-00500", "/ops/rollouts"} {
		operator.get(t, path).want(t, http.StatusOK, "")
	}
}

func TestUnknownPartnerIsNotFound(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	operator := d.signedIn(t, "platform-live")
	for _, path := range []string{"/ops/partners/unknown", "/ops/partners/", "/ops/partners/default/acme/keys"} {
		operator.get(t, path).want(t, http.StatusNotFound, "has no PartnerEntitlement of this name")
	}
}

// TestPartnerPageContainsNoSecret looks for digests of keys, and for secrets in URLs.
func TestPartnerPageContainsNoSecret(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.fillOps("")
	page := d.signedIn(t, "platform-live").get(t, "/ops/partners/acme").want(t, http.StatusOK, "mis.acme.example")
	for _, secret := range []string{d.Digest("acme-live").String(), d.Key("acme-live"), "s3cret", "/events", strings.Repeat("ab", 32)} {
		if strings.Contains(page.text, secret) {
			t.Errorf("the page holds %s", secret)
		}
	}
}

// TestUnavailableRedisFailsOnlyTheQueuePage has a queue that blocks until the timeout of the
// page.
func TestUnavailableRedisFailsOnlyTheQueuePage(t *testing.T) {
	t.Parallel()
	var bound time.Duration
	d := newDashboard(t, withOps, func(c *dashboard.Config) {
		c.Ops.Queue = queueStub{away: errors.New("dial tcp 127.0.0.1:6379: connection refused"), asked: func(ctx context.Context) {
			if deadline, bounded := ctx.Deadline(); bounded {
				bound = time.Until(deadline)
			}
		}}
	})
	operator := d.signedIn(t, "platform-live")
	page := operator.get(t, "/ops/queue").want(t, http.StatusServiceUnavailable, "connection refused")
	golden(t, "ops-queue-away", page.text)
	if bound <= 0 || bound > 2*time.Second {
		t.Errorf("the query is bounded by %s, want at most 2 s", bound)
	}
	for _, path := range []string{"/ops", "/ops/partners/acme", "/ops/rollouts"} {
		operator.get(t, path).want(t, http.StatusOK, "")
	}
}

// TestRampChartMatchesItsTable moves the clock through a ramp.
func TestRampChartMatchesItsTable(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.fillOps("")
	row := regexp.MustCompile(`<span class="state info">now</span></th><td class="number">(\d+)</td>`)
	described := regexp.MustCompile(`, (\d+) percent now`)
	place := regexp.MustCompile(`class="now" d="M(\d+) `)
	last := 0
	for _, step := range []struct {
		days int
		want string
	}{{0, "50"}, {3, "50"}, {2, "100"}, {30, "100"}} {
		d.Advance(time.Duration(step.days) * 24 * time.Hour)
		page := d.signedIn(t, "platform-live").get(t, "/ops/rollouts/xjdf").text
		if got := []string{found(row, page), found(described, page)}; got[0] != step.want || got[1] != step.want {
			t.Errorf("after %d more days the table has %s and the chart %s, want %s", step.days, got[0], got[1], step.want)
		}
		at := 0
		if _, err := fmt.Sscan(found(place, page), &at); err != nil || at <= last && step.days > 0 && step.days < 30 || at < 44 || at > 628 {
			t.Errorf("now is at %d, and was at %d: %v", at, last, err)
		}
		last = at
	}
}

func found(pattern *regexp.Regexp, text string) string {
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	return match[1]
}

// TestMatrixMatchesTheGates compares cells of the matrix with responses of the API.
func TestMatrixMatchesTheGates(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps)
	d.fillOps("")
	d.SetEdited("globex", posture.XJDF, noon.Add(-24*time.Hour))
	operator := d.signedIn(t, "platform-live")
	snapshot := d.Gates.Current(noon)
	for _, partner := range []string{"acme", "stark"} {
		for c := range posture.Capabilities() {
			caller, _ := snapshot.AuthenticateDigest(d.Digest(partner+"-live"), "live", posture.Connection{}, noon)
			decision := snapshot.Decide(caller, c, false, noon)
			open := operator.get(t, "/ops?access=open&text="+partner+"&capability="+c.String())
			// stark has no webhook, so it cannot use the delivery that the gates allow.
			usable := decision.Allowed() && (c != posture.WebhookDelivery || partner == "acme")
			if caller.Scopes().Has(decision.Scope) && usable != (len(partnersOf(open)) == 1) {
				t.Errorf("%s %s is answered %s, and the matrix shows\n%s", partner, c, decision.Reason, open.text)
			}
		}
	}
}

func TestPagesWithoutAClusterShowCommandsThatWorkThere(t *testing.T) {
	t.Parallel()
	d := newDashboard(t, withOps, func(c *dashboard.Config) {
		c.Ops.Local = &dashboard.Local{Manifests: "/srv/my data/resources", Variables: "/srv/dev.env"}
	})
	b := d.signedIn(t, "platform-live")
	for path, want := range map[string]string{
		"/ops":                     "printmarket posture --from &#39;/srv/my data/resources&#39;",
		"/ops/partners/acme":       "printmarket posture explain acme CAPABILITY --from",
		"/ops/rollouts/rfq-create": "printmarket rollout hold rfq-create --reason REASON --from",
		"/ops/denials":             "env $(cat /srv/dev.env) printmarket requests denials",
		"/ops/audit":               "env $(cat /srv/dev.env) printmarket audit verify",
		"/ops/compare":             "",
		"/ops/queue":               "",
	} {
		if page := b.get(t, path).want(t, 200, want).text; strings.Contains(page, "kubectl") {
			t.Errorf("%s shows a command that needs a cluster:\n%s", path, page)
		}
	}
}
