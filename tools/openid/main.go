// SPDX-License-Identifier: Apache-2.0

// Command openid is the example provider of zitadel/oidc with what the example leaves to its
// users: groups of its user, and back-channel logout (OpenID Connect Back-Channel Logout 1.0).
//
// The user test-user has the password verysecure. PUT /test/groups sets the groups in the
// body, separated by commas; POST /test/sign-out ends the sessions of the user.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/crypto"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"
)

const user = "id1"

func main() {
	addr := flag.String("addr", "", "address of the listener; the issuer is http://ADDR")
	client := flag.String("client", "printmarket", "id of the client")
	secret := flag.String("secret", "", "secret of the client")
	redirect := flag.String("redirect", "", "redirect URL of the client")
	logout := flag.String("logout", "", "back-channel logout URL of the client")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	registered := storage.WebClient(*client, *secret, *redirect)
	p := &provider{
		Storage: storage.NewStorageWithClients(users{}, map[string]*storage.Client{*client: registered}),
		issuer:  "http://" + *addr, client: *client, logout: *logout,
	}
	routes := exampleop.SetupServer(p.issuer, p, slog.Default(), false)
	routes.Put("/test/groups", p.setGroups)
	routes.Post("/test/sign-out", p.signOut)
	server := &http.Server{Addr: *addr, Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// users is the only user.
type users struct{}

var ada = storage.User{ID: user, Username: "test-user", Password: "verysecure", FirstName: "Test", LastName: "User"}

func (users) GetUserByID(id string) *storage.User {
	if id != user {
		return nil
	}
	return &ada
}

func (users) GetUserByUsername(name string) *storage.User {
	if name != ada.Username {
		return nil
	}
	return &ada
}

func (users) ExampleClientID() string { return "service" }

// provider is the storage of the example with groups.
type provider struct {
	*storage.Storage
	issuer, client, logout string

	mu     sync.Mutex
	groups []string
}

// client is a client that receives the groups in its ID tokens.
type client struct{ op.Client }

func (client) IsScopeAllowed(scope string) bool     { return scope == "groups" }
func (client) IDTokenUserinfoClaimsAssertion() bool { return true }

func (p *provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	found, err := p.Storage.GetClientByClientID(ctx, id)
	if err != nil {
		return nil, err
	}
	return client{found}, nil
}

func (p *provider) SetUserinfoFromRequest(ctx context.Context, info *oidc.UserInfo, token op.IDTokenRequest, scopes []string) error {
	if err := p.Storage.SetUserinfoFromRequest(ctx, info, token, scopes); err != nil {
		return err
	}
	if slices.Contains(scopes, "groups") {
		p.mu.Lock()
		defer p.mu.Unlock()
		info.AppendClaims("groups", p.groups)
	}
	return nil
}

// TerminateSession ends the sessions of a user, and sends a logout token to the client.
func (p *provider) TerminateSession(ctx context.Context, userID, clientID string) error {
	if err := p.Storage.TerminateSession(ctx, userID, clientID); err != nil {
		return err
	}
	key, err := p.SigningKey(ctx)
	if err != nil {
		return err
	}
	signer, err := op.SignerFromKey(key)
	if err != nil {
		return err
	}
	claims := oidc.NewLogoutTokenClaims(p.issuer, userID, oidc.Audience{clientID}, time.Now().Add(time.Minute), "logout-"+userID, "", 0)
	token, err := crypto.Sign(claims, signer)
	if err != nil {
		return err
	}
	form := strings.NewReader(url.Values{"logout_token": {token}}.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.logout, form)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	if err := response.Body.Close(); err != nil {
		return err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("the client answered the logout with %s", response.Status)
	}
	return nil
}

func (p *provider) setGroups(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, 1<<10))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groups = strings.Split(string(body), ",")
	w.WriteHeader(http.StatusNoContent)
}

func (p *provider) signOut(w http.ResponseWriter, r *http.Request) {
	if err := p.TerminateSession(r.Context(), user, p.client); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
