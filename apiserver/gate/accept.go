// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/problem"
)

// jsonAlone is the default offer of a route. It includes problems, because they are JSON and a
// client that accepts only problems may get one.
var jsonAlone = []string{"application/json", "application/problem+json"}

// accept refuses a request that accepts none of the route's offers (RFC 9110, section 12.5.1).
// A request with a missing or invalid Accept field gets the first offer.
func accept(_ *Gate, rt *Route, c *Call) *problem.Problem {
	offers := rt.Offers
	switch {
	case offers == nil:
		offers = jsonAlone
	case rt.Mirror:
		// The response is in the syntax of the body, JSON or XML (RFC 6839). An invalid type is
		// refused later.
		body, _, _ := mime.ParseMediaType(c.Request.Header.Get("Content-Type"))
		offers = slices.DeleteFunc(slices.Clone(offers), func(offer string) bool {
			return strings.HasSuffix(offer, "xml") != strings.HasSuffix(body, "xml")
		})
	default:
		header := c.Writer.Header()
		header["Vary"] = []string{strings.Join(append(header["Vary"], "Accept"), ", ")}
	}
	if c.MediaType = Negotiate(c.Request.Header["Accept"], offers); c.MediaType != "" {
		return nil
	}
	if rt.Offers == nil {
		offers = offers[:1]
	}
	return problem.New(problem.CodeNotAcceptable, "This path returns only %s.", strings.Join(offers, " or "))
}

// Negotiate returns the offer with the highest weight, and the first of equal ones. It returns
// an empty text if the fields accept no offer.
func Negotiate(fields, offers []string) string {
	if len(fields) == 0 || len(fields) == 1 && (fields[0] == "*/*" || fields[0] == offers[0]) {
		return offers[0] // nearly all clients send the offer itself
	}
	ranges := mediaRanges(fields)
	if len(ranges) == 0 {
		return offers[0]
	}
	best, chosen := 0.0, ""
	for _, offer := range offers {
		kind, parameters, _ := mime.ParseMediaType(offer) // offers are valid
		weight, precise := 0.0, 0                         // of the most precise range that matches
		for _, r := range ranges {
			if p := r.precision(kind, parameters); p > precise {
				weight, precise = r.weight, p
			}
		}
		if weight > best {
			best, chosen = weight, offer
		}
	}
	return chosen
}

// mediaRange is one element of Accept.
type mediaRange struct {
	kind       string // type/subtype, type/* or */*
	parameters map[string]string
	weight     float64
}

// mediaRanges parses Accept fields and omits invalid elements.
func mediaRanges(fields []string) []mediaRange {
	var ranges []mediaRange
	for _, field := range fields {
		for item := range strings.SplitSeq(field, ",") {
			kind, parameters, err := mime.ParseMediaType(item)
			if err != nil {
				continue
			}
			weight, err := strconv.ParseFloat(parameters["q"], 64)
			if err != nil || !(weight >= 0 && weight < 1) {
				weight = 1
			}
			delete(parameters, "q")
			ranges = append(ranges, mediaRange{kind, parameters, weight})
		}
	}
	return ranges
}

// precision returns how precisely the range matches a media type; 0 means no match.
func (r mediaRange) precision(kind string, parameters map[string]string) int {
	family, _, _ := strings.Cut(kind, "/")
	switch r.kind {
	case "*/*":
		return 1
	case family + "/*":
		return 2
	case kind:
		for name, value := range r.parameters {
			if !strings.EqualFold(parameters[name], value) && name != "charset" {
				return 0
			}
		}
		return 3 + len(r.parameters)
	default:
		return 0
	}
}
