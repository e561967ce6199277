// SPDX-License-Identifier: Apache-2.0

package xjdfapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/test/apitest"
)

const acme, stark, globex = "org_acme01", "org_stark1", "org_globex"

var acmeLive = tenant.ID{Organization: acme, Mode: tenant.Live}

// body returns a request body with a document and other members.
func body(document, members string) string { return `{` + members + `"xjdf":` + document + `}` }

// flyer returns the document after replacements: old, new, ...
func flyer(replaced ...string) string { return strings.NewReplacer(replaced...).Replace(apitest.Flyer) }

const preview = `"executionMode":"preview",`

// calculate sends a body with a session, and checks the cache headers of the answer.
func calculate(t testing.TB, server *apitest.Server, token, body string) apitest.Answer {
	t.Helper()
	a := server.Do(t, apitest.Request{Method: "POST", Path: xjdfapi.CostingPath, Body: body, Header: map[string]string{"Authorization": "Bearer " + token}})
	wantPrivate(t, a)
	return a
}

func wantPrivate(t testing.TB, a apitest.Answer) {
	t.Helper()
	if got := a.Header["Cache-Control"]; len(got) != 1 || got[0] != "private, no-store" {
		t.Errorf("status %d: unexpected Cache-Control %q", a.Status, got)
	}
	if got := a.Header["Vary"]; len(got) != 1 || got[0] != "Authorization" {
		t.Errorf("status %d: unexpected Vary %q", a.Status, got)
	}
}

// newFixture returns an API server with cost data of acme for flyers.
func newFixture(t testing.TB) *apitest.Server {
	t.Helper()
	server := apitest.New(t, apitest.Options{})
	server.Costs(t, apitest.Printer(acme, 1))
	return server
}

// letPreview gives acme's keys the scope costing:preview of platform staff.
func letPreview(server *apitest.Server) {
	server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = append(s.Scopes, "costing:preview") })
}

// figures holds the figures of an answer.
type figures struct {
	Mode, Outcome string
	Snapshot      struct{ ID, Approval, Currency string }
	Product       struct{ Quantity int64 }
	Breaks        []struct {
		Quantity int64
		Total    struct{ Amount, Currency string }
		Lines    []struct {
			Item     string
			Resource struct {
				Family authority.Family
				ID     string
			}
			Rate string
		}
	}
}

// review is a problem with the reasons for a manual review.
type review struct {
	Code    problem.Code
	Reasons []struct {
		Code, Detail string
		Pointer      string
	}
	Estimate *figures
	// Breaks and Snapshot are members of a result, which a problem must not have.
	Breaks, Snapshot any
}

func (r *review) codes() string {
	var codes []string
	for _, one := range r.Reasons {
		codes = append(codes, one.Code)
	}
	return strings.Join(codes, " ")
}

// resolve follows a JSON pointer as a URI fragment (RFC 6901, section 6) into a body. If
// missing is set, it ignores the last token, which names an absent member.
func resolve(body, pointer string, missing bool) error {
	fragment, found := strings.CutPrefix(pointer, "#")
	plain, err := url.PathUnescape(fragment)
	if !found || err != nil || (&url.URL{Fragment: plain}).EscapedFragment() != fragment {
		return fmt.Errorf("%q is not a URI fragment: %w", pointer, err)
	}
	pointer = plain
	var at any
	if err := json.Unmarshal([]byte(body), &at); err != nil {
		return err
	}
	if pointer == "" {
		return nil
	}
	tokens := strings.Split(pointer, "/")
	if tokens[0] != "" {
		return fmt.Errorf("%q does not begin with /", pointer)
	}
	if missing {
		tokens = tokens[:len(tokens)-1]
	}
	for _, token := range tokens[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch value := at.(type) {
		case map[string]any:
			next, there := value[token]
			if !there {
				return fmt.Errorf("%q: no member %q", pointer, token)
			}
			at = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(value) {
				return fmt.Errorf("%q: no element %q", pointer, token)
			}
			at = value[i]
		default:
			return fmt.Errorf("%q: cannot find %q in %v", pointer, token, value)
		}
	}
	return nil
}

type effective = authority.Effective

func dropPreview(server *apitest.Server) {
	server.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.Scopes = slices.DeleteFunc(s.Scopes, func(one v1alpha1.Scope) bool { return one == "costing:preview" })
	})
}
