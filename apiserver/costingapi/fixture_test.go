// SPDX-License-Identifier: Apache-2.0

package costingapi_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/apiserver/costingapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/test/apitest"
)

const acme, stark, globex = "org_acme01", "org_stark1", "org_globex"

// body is a request that asks for a document and has other members beside it.
func body(document, members string) string { return `{` + members + `"xjdf":` + document + `}` }

// flyer is the document after some replacements: old, new, ...
func flyer(replaced ...string) string { return strings.NewReplacer(replaced...).Replace(apitest.Flyer) }

const preview = `"executionMode":"preview",`

// calculate sends a body with a session, and checks what every answer says about
// itself.
func calculate(t testing.TB, w *apitest.World, token, body string) apitest.Answer {
	t.Helper()
	a := w.Do(t, apitest.Request{Method: "POST", Path: costingapi.Path, Body: body, Header: map[string]string{"Authorization": "Bearer " + token}})
	wantPrivate(t, a)
	return a
}

func wantPrivate(t testing.TB, a apitest.Answer) {
	t.Helper()
	if got := a.Header["Cache-Control"]; len(got) != 1 || got[0] != "private, no-store" {
		t.Errorf("answer %d: Cache-Control %q", a.Status, got)
	}
	if got := a.Header["Vary"]; len(got) != 1 || got[0] != "Authorization" {
		t.Errorf("answer %d: Vary %q", a.Status, got)
	}
}

// world is one in which acme prints flyers.
func world(t testing.TB) *apitest.World {
	t.Helper()
	w := apitest.New(t, apitest.Options{})
	w.Costs(t, apitest.Printer(acme, 1))
	return w
}

// letPreview gives acme's keys the scope of the marketplace's own people.
func letPreview(w *apitest.World) {
	w.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) { s.Scopes = append(s.Scopes, "costing:preview") })
}

// figures are what an answer says that something costs.
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

// review is a problem that says why a person has to look.
type review struct {
	Code    problem.Code
	Reasons []struct {
		Code, Detail string
		Pointer      string
	}
	Estimate *figures
	// Breaks and Snapshot are members of a result, and never of a problem.
	Breaks, Snapshot any
}

func (r *review) codes() string {
	var codes []string
	for _, one := range r.Reasons {
		codes = append(codes, one.Code)
	}
	return strings.Join(codes, " ")
}

// resolve follows a JSON pointer into a body (RFC 6901), in URI fragment form if it
// begins with #. Of what is missing, the object in which it is missing is meant.
func resolve(body, pointer string, missing bool) error {
	if fragment, found := strings.CutPrefix(pointer, "#"); found {
		plain, err := url.PathUnescape(fragment)
		if err != nil || (&url.URL{Fragment: plain}).EscapedFragment() != fragment {
			return fmt.Errorf("%q is no fragment: %w", pointer, err)
		}
		pointer = plain
	}
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
				return fmt.Errorf("%q: there is no %q", pointer, token)
			}
			at = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(value) {
				return fmt.Errorf("%q: there is no element %q", pointer, token)
			}
			at = value[i]
		default:
			return fmt.Errorf("%q: %q is looked for in %v", pointer, token, value)
		}
	}
	return nil
}

type effective = authority.Effective

func dropPreview(w *apitest.World) {
	w.Partner("acme", func(s *v1alpha1.PartnerEntitlementSpec) {
		s.Scopes = slices.DeleteFunc(s.Scopes, func(one v1alpha1.Scope) bool { return one == "costing:preview" })
	})
}
