// SPDX-License-Identifier: Apache-2.0

package signon_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/signon"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/programs"
)

// zitadel is the example provider of zitadel/oidc, which runs until the test ends.
type zitadel struct {
	*testing.T
	url string
	// logouts receives the logout tokens of the provider.
	logouts chan string
}

func startZitadel(t *testing.T) *zitadel {
	t.Helper()
	program := programs.Built(t, "../..", "openid", "github.com/zitadel/oidc/v3", "zitadel", "openid", "PRINTMARKET_OPENID_REQUIRED")
	z := &zitadel{T: t, logouts: make(chan string, 1)}
	client := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		z.logouts <- r.PostFormValue("logout_token")
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(client.Close)
	addr, err := programs.FreeAddress(t.Context())
	if err != nil {
		t.Fatalf("programs.FreeAddress: %v", err)
	}
	z.url = "http://" + addr.String()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatalf("os.Create: %v", err)
	}
	command := exec.CommandContext(t.Context(), program, "--addr="+addr.String(), "--client=printmarket", "--secret=secret",
		"--redirect="+redirectURL, "--logout="+client.URL)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatalf("start the provider: %v", err)
	}
	t.Cleanup(func() {
		_, _ = command.Process.Kill(), command.Wait()
		_ = log.Close()
		if output, _ := os.ReadFile(log.Name()); t.Failed() {
			t.Logf("output of the provider:\n%s", output)
		}
	})
	eventually.Succeeds(t, func() error { return z.control(http.MethodPut, "/test/groups", "operators,staff") })
	return z
}

// control sends a request that only the test needs.
func (z *zitadel) control(method, path, body string) error {
	request, err := http.NewRequestWithContext(z.Context(), method, z.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s %s: %s", method, path, response.Status)
	}
	return nil
}

// signIn signs the user in at the provider as a browser does, and returns the query with which
// the browser comes back.
func (z *zitadel) signIn(address string) url.Values {
	z.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		z.Fatalf("cookiejar.New: %v", err)
	}
	var back url.Values
	browser := &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), redirectURL) {
			back = r.URL.Query()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	form, err := browser.Get(address)
	if err != nil {
		z.Fatalf("open the form: %v", err)
	}
	_ = form.Body.Close()
	request := form.Request.URL
	done, err := browser.PostForm(request.String(), url.Values{
		"id": request.Query()["authRequestID"], "username": {"test-user"}, "password": {"verysecure"},
	})
	if err != nil {
		z.Fatalf("send the form: %v", err)
	}
	_ = done.Body.Close()
	if back == nil {
		z.Fatalf("the provider answered %s and did not send the browser back", done.Status)
	}
	return back
}

// TestProviderOfAnotherVendor covers a sign-in, the removal from a group, and a logout at the
// provider of zitadel/oidc.
func TestProviderOfAnotherVendor(t *testing.T) {
	t.Parallel()
	z := startZitadel(t)
	clock := clocktesting.NewFakeClock(time.Now())
	p, err := signon.New(signon.Config{
		Issuer: z.url, ClientID: "printmarket", Scopes: []string{"profile", "groups", "offline_access"},
		Secret:      func() (credential.Secret, error) { return credential.Secret("secret"), nil },
		GroupsClaim: "groups", Groups: []string{"operators"}, RedirectURL: redirectURL, Now: clock.Now,
	})
	if err != nil {
		t.Fatalf("signon.New: %v", err)
	}
	signIn := func() signon.Person {
		flow, address, err := p.Begin(t.Context(), "/ops", rand.Reader)
		if err != nil {
			t.Fatalf("p.Begin: %v", err)
		}
		person, err := p.Finish(t.Context(), flow, z.signIn(address))
		if err != nil {
			t.Fatalf("p.Finish: %v", err)
		}
		return person
	}

	person := signIn()
	if person.Subject != "id1" || person.Name != "test-user" || person.Refresh == "" {
		t.Errorf("signed in %q as %q with a refresh token of %d bytes; want id1 as test-user with one", person.Subject, person.Name, len(person.Refresh))
	}
	if err := z.control(http.MethodPost, "/test/sign-out", ""); err != nil {
		t.Fatal(err)
	}
	ending, err := p.Logout(t.Context(), <-z.logouts)
	if names := p.Names(signon.Session{Person: person}); err != nil || names[1] != ending.Name {
		t.Errorf("p.Logout: %v; want the end of the sessions of the user", err)
	}

	person = signIn()
	clock.Step(signon.RenewEvery)
	if person, err = p.Renew(t.Context(), person); err != nil || person.Subject != "id1" {
		t.Fatalf("p.Renew of a member: %q, %v", person.Subject, err)
	}
	if err := z.control(http.MethodPut, "/test/groups", "staff"); err != nil {
		t.Fatal(err)
	}
	clock.Step(signon.RenewEvery)
	var refusal *signon.Refusal
	if _, err = p.Renew(t.Context(), person); !errors.As(err, &refusal) || refusal.Reason != signon.ReasonNotMember {
		t.Errorf("p.Renew after the removal from the group: %v, want the reason not-member", err)
	}
}
