// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/signontest"
)

// oidc are the flags of a provider, given that there is one at an issuer.
func oidc(issuer string, more ...string) []string {
	return append([]string{
		"--dashboard-ops-oidc-issuer=" + issuer, "--dashboard-ops-oidc-client-id=" + signontest.ClientID, "--dashboard-ops-oidc-group=operators",
		"--dashboard-ops-oidc-redirect-url=http://OPERATORS" + signon.CallbackPath,
	}, more...)
}

func TestContradictoryFlagsOfAnIdentityProviderAreRejected(t *testing.T) {
	t.Parallel()
	const view = "--dashboard-ops-addr=127.0.0.1:0"
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile(%q): %v", path, err)
		}
		return path
	}
	whole := []string{
		view, "--dashboard-ops-oidc-issuer=https://id.example.com", "--dashboard-ops-oidc-client-id=printmarket", "--dashboard-ops-oidc-group=operators",
		"--dashboard-ops-oidc-redirect-url=https://ops.example.com/sign-in/oidc/callback",
	}
	but := func(flags ...string) []string { return append(append([]string{}, whole...), flags...) }
	tests := map[string]struct {
		flags []string
		want  string
	}{
		"no view for operators":        {whole[1:], "--dashboard-ops-oidc-... configure the dashboard for operators and need --dashboard-ops-addr"},
		"an issuer alone":              {whole[:2], "--dashboard-ops-oidc-client-id is missing"},
		"a group alone":                {[]string{view, "--dashboard-ops-oidc-group=operators"}, "--dashboard-ops-oidc-issuer must be an absolute https URL"},
		"a claim alone":                {[]string{view, "--dashboard-ops-oidc-groups-claim=roles"}, "--dashboard-ops-oidc-issuer must be"},
		"a scope alone":                {[]string{view, "--dashboard-ops-oidc-scope=groups"}, "--dashboard-ops-oidc-issuer must be"},
		"no group":                     {append(whole[:3:3], whole[4]), "--dashboard-ops-oidc-group is missing"},
		"no way back":                  {whole[:4], "--dashboard-ops-oidc-redirect-url must be"},
		"an issuer over http":          {but("--dashboard-ops-oidc-issuer=http://id.example.com"), "--dashboard-ops-oidc-issuer must be"},
		"a missing file of the secret": {but("--dashboard-ops-oidc-client-secret-file=/nowhere"), "--dashboard-ops-oidc-client-secret-file: open /nowhere"},
		"an empty file of the secret":  {but("--dashboard-ops-oidc-client-secret-file=" + file("\n")), "--dashboard-ops-oidc-client-secret-file: the file holds no secret"},
		"a secret of two lines":        {but("--dashboard-ops-oidc-client-secret-file=" + file("s3cret\ns3cret")), "--dashboard-ops-oidc-client-secret-file: the file holds no secret"},
		"a secret that is too long":    {but("--dashboard-ops-oidc-client-secret-file=" + file(strings.Repeat("x", 4097))), "--dashboard-ops-oidc-client-secret-file: the file holds no secret"},
		"certificates that are none":   {but("--dashboard-ops-oidc-ca-file=" + file("s3cret")), "--dashboard-ops-oidc-ca-file: the file holds no certificate"},
		// Only the last flag is invalid; the issuer need not be reachable.
		"a whole set": {but("--dashboard-ops-oidc-client-secret-file="+file("s3cret\r\n"), "--database=postgres://a@127.0.0.1:1/x"), "database"},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			server := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{
				"apiserver", "--public-api-url=https://api.example.com", "--public-registry-url=https://registry.example.com", "--redis=redis://127.0.0.1:1/0",
			}, test.flags...)...)
			server.Env = []string{"PATH="}
			out, err := server.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte(test.want)) || bytes.Contains(out, []byte("s3cret")) || test.want == "database" && bytes.Contains(out, []byte("oidc")) {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestOperatorsOfAClusterSignInAtAnIdentityProvider has an unavailable provider while the
// cluster starts, and comes later.
func TestOperatorsOfAClusterSignInAtAnIdentityProvider(t *testing.T) {
	t.Parallel()
	idp := signontest.New(t, time.Now, "")
	idp.Secret = "s3cret"
	const document = "/.well-known/openid-configuration"
	idp.Instead = map[string]http.HandlerFunc{document: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }}
	secret := filepath.Join(t.TempDir(), "client-secret")
	if err := os.WriteFile(secret, []byte("s3cret\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	p := startCluster(t, oidc(idp.URL, "--dashboard-ops-oidc-client-secret-file="+secret)...)
	origin := "http://" + p.operators
	idp.Change(func(i *signontest.Provider) { i.RedirectURL = origin + signon.CallbackPath })
	p.until("readiness reports the identity provider", func() error { return p.readiness(http.StatusOK, "identity-provider", "502 Bad Gateway") })
	if status, page := p.asOperator(t, origin, "/ops"); status != http.StatusOK {
		t.Errorf("without the provider a key sees %d:\n%s", status, page)
	}
	idp.Change(func(i *signontest.Provider) { i.Instead = nil })
	p.until("the provider is asked again", func() error { return p.readiness(http.StatusOK, `"identity-provider":"ok"`) })
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatalf("cookiejar.New: %v", err)
	}
	client := &http.Client{Timeout: 20 * time.Second, Jar: loopbackJar{jar}}
	defer client.CloseIdleConnections()
	answer, err := client.Get(origin + "/sign-in/oidc?next=/ops/queue")
	if err != nil {
		t.Fatalf("client.Get: %v", err)
	}
	defer func() { _ = answer.Body.Close() }()
	page, err := io.ReadAll(answer.Body)
	if err != nil || answer.Request.URL.Path != "/ops/queue" || !strings.Contains(string(page), "<span>ada ") {
		t.Errorf("%s is answered %d, %v:\n%s", answer.Request.URL.Path, answer.StatusCode, err, page)
	}
	p.until("the sign-in is counted", func() error {
		return p.metric(`printmarket_dashboard_sign_ins_total{listener="dashboard-ops",outcome="in",way="oidc"} 1`)
	})
	// The dashboard of partners has no sign-in with the provider.
	partners, err := client.Get(p.env["DASHBOARD_URL"] + "/sign-in/oidc")
	if err != nil {
		t.Fatalf("client.Get: %v", err)
	}
	_ = partners.Body.Close()
	if partners.StatusCode != http.StatusNotFound {
		t.Errorf("on the dashboard of partners it is answered %d", partners.StatusCode)
	}
	if err := p.stop(); err != nil {
		t.Errorf("the cluster did not stop cleanly: %v", err)
	}
	p.checkLogs()
}

// loopbackJar takes cookies that are for https alone over http, as browsers do on
// loopback.
type loopbackJar struct{ *cookiejar.Jar }

// SetCookies implements http.CookieJar.
func (j loopbackJar) SetCookies(u *url.URL, cookies []*http.Cookie) {
	j.Jar.SetCookies(secure(u), cookies)
}

// Cookies implements http.CookieJar.
func (j loopbackJar) Cookies(u *url.URL) []*http.Cookie { return j.Jar.Cookies(secure(u)) }

func secure(u *url.URL) *url.URL {
	other := *u
	other.Scheme = "https"
	return &other
}
