// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"mime"
	"strconv"
	"strings"

	"github.com/printmarket/printmarket/internal/problem"
)

// jsonAlone is what a route offers that says nothing. Whoever takes problems
// alone is served too: it is JSON, and they may get one.
var jsonAlone = []string{"application/json", "application/problem+json"}

// accept refuses a request that rules out everything that the route offers (RFC
// 9110, section 12.5.1). One that says nothing, or that cannot be read, gets
// the first offer.
func accept(_ *Gate, rt *Route, c *Call) *problem.Problem {
	offers := rt.Offers
	switch {
	case offers == nil:
		offers = jsonAlone
	case rt.Mirror:
		offers = inSyntaxOf(c.Request.Header.Get("Content-Type"), offers)
	default:
		header := c.Writer.Header()
		header["Vary"] = []string{strings.Join(append(header["Vary"], "Accept"), ", ")}
	}
	if c.MediaType = negotiate(c.Request.Header["Accept"], offers); c.MediaType != "" {
		return nil
	}
	if rt.Offers == nil {
		offers = offers[:1]
	}
	return problem.New(problem.CodeNotAcceptable, "This path answers with %s alone.", strings.Join(offers, " or "))
}

// inSyntaxOf are the media types that are JSON or XML (RFC 6839) as a body is.
func inSyntaxOf(body string, types []string) []string {
	body, _, _ = mime.ParseMediaType(body) // what it cannot be is refused later
	var same []string
	for _, mediaType := range types {
		if strings.HasSuffix(mediaType, "xml") == strings.HasSuffix(body, "xml") {
			same = append(same, mediaType)
		}
	}
	return same
}

// negotiate finds the offer that the fields like best, the first of equals; it
// is empty where they rule out all of them.
func negotiate(fields, offers []string) string {
	if len(fields) == 0 || len(fields) == 1 && (fields[0] == "*/*" || fields[0] == offers[0]) {
		return offers[0] // as nearly all clients write it
	}
	ranges := mediaRanges(fields)
	if len(ranges) == 0 {
		return offers[0]
	}
	best, chosen := 0.0, ""
	for _, offer := range offers {
		if weight := weigh(ranges, offer); weight > best {
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

// mediaRanges leaves out elements that cannot be read.
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

// weigh is the weight that the most precise of the ranges gives to an offer.
func weigh(ranges []mediaRange, offer string) float64 {
	kind, parameters, _ := mime.ParseMediaType(offer) // our own, and valid
	weight, precise := 0.0, 0
	for _, r := range ranges {
		if p := r.precision(kind, parameters); p > precise {
			weight, precise = r.weight, p
		}
	}
	return weight
}

// precision is how precisely the range names a media type; 0: it does not.
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
