// SPDX-License-Identifier: Apache-2.0

package bridgeapi

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/problem"
)

// The values of the parameter source.
const (
	fromPlatform     = "platform"
	fromOrganization = "organization"
)

// Bounds of a page (interface specification, section 8).
const (
	defaultLimit = 20
	maxLimit     = 100
	maxOffset    = 100_000
)

// parameters holds the parameters of a request, each of which occurs once.
type parameters map[string]string

// read returns the known parameters and rejects all others: a misspelled filter must not
// return everything, and a caller must not believe that naming an organization has an
// effect.
func read(c *gate.Call, known ...string) (parameters, error) {
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return nil, problem.New(problem.CodeInvalidRequest, "The query string is malformed. Check its percent-encoding.").With(err)
	}
	if err := impersonal(c.Request, query); err != nil {
		return nil, err
	}
	found := parameters{}
	for name, values := range query {
		switch {
		case !slices.Contains(known, name):
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter %.40q is not supported on this path.", name)
		case len(values) != 1:
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter %s must be sent only once.", name)
		}
		found[name] = values[0]
	}
	return found, nil
}

// impersonal rejects a request that names an organization in the query or in the header, or
// that has a body, which could name one.
func impersonal(r *http.Request, query url.Values) error {
	for name := range query {
		if namesOrganization(name) {
			return named(name)
		}
	}
	for name := range r.Header {
		if namesOrganization(name) {
			return named(name)
		}
	}
	if r.ContentLength != 0 {
		return problem.New(problem.CodeInvalidRequest, "This path does not accept a request body.")
	}
	return nil
}

// named returns the problem for a request that names an organization.
func named(name string) error {
	return problem.New(problem.CodeInvalidRequest, "The API key determines the organization. Remove %.40q from the request.", name)
}

// namesOrganization reports whether a name is orgId in any spelling, such as
// organization_id or X-Org-ID.
func namesOrganization(name string) bool {
	plain := strings.NewReplacer("-", "", "_", "", ".", "", "[", "", "]", "", " ", "").Replace(strings.ToLower(name))
	plain = strings.ReplaceAll(plain, "organisation", "organization")
	switch strings.TrimPrefix(plain, "x") {
	case "org", "orgs", "organization", "organizations":
		return true
	}
	for _, end := range []string{"orgid", "orgids", "organizationid", "organizationids"} {
		if strings.HasSuffix(plain, end) {
			return true
		}
	}
	return false
}

// source reads the parameter source.
func (p parameters) source(otherwise string) (string, error) {
	source, present := p["source"]
	switch {
	case !present:
		return otherwise, nil
	case source != fromPlatform && source != fromOrganization:
		return "", problem.New(problem.CodeInvalidRequest, "The parameter source must be %s or %s.", fromPlatform, fromOrganization)
	default:
		return source, nil
	}
}

// whole reads a number in decimal digits, without a sign, a point, an exponent or leading
// zeros, so that every number has one spelling.
func (p parameters) whole(name string, low, high, otherwise int) (int, error) {
	text, present := p[name]
	if !present {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < low || n > high {
		return 0, problem.New(problem.CodeInvalidRequest, "The parameter %s must be an integer from %d to %d in decimal digits, without sign or leading zeros.", name, low, high)
	}
	return n, nil
}

// flag reads a parameter that is true or false, and false if it is missing.
func (p parameters) flag(name string) (bool, error) {
	switch text, present := p[name]; {
	case !present, text == "false":
		return false, nil
	case text == "true":
		return true, nil
	default:
		return false, problem.New(problem.CodeInvalidRequest, "The parameter %s must be true or false.", name)
	}
}

// families reads the parameter category. It returns the families in their own order, and
// all of them if the parameter is missing.
func (p parameters) families() ([]authority.Family, error) {
	list, present := p["category"]
	if !present {
		return authority.Families(), nil
	}
	requested := map[authority.Family]bool{}
	for name := range strings.SplitSeq(list, ",") {
		family, known := authority.ParseFamily(name)
		switch name { // the alternative names of the specification
		case "paper":
			family, known = authority.FamilyMedia, true
		case "machine":
			family, known = authority.FamilyDevice, true
		}
		if !known || requested[family] {
			var names []string
			for _, family := range authority.Families() {
				names = append(names, string(family))
			}
			return nil, problem.New(problem.CodeInvalidCategory, "The parameter category must be a comma-separated list of %s, each at most once.", strings.Join(names, ", "))
		}
		requested[family] = true
	}
	var families []authority.Family
	for _, family := range authority.Families() {
		if requested[family] {
			families = append(families, family)
		}
	}
	return families, nil
}
