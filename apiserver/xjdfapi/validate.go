// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// documentTypes lists the media types of documents (XJDF 2.2, section 9.10), and the generic
// types that the tools of authors use.
func documentTypes() []string {
	return []string{"application/vnd.cip4-xjdf+json", "application/json", "application/vnd.cip4-xjdf+xml", "application/xml", "text/xml"}
}

// validate serves POST /api/v1/xjdf/validate. It returns the report if no finding is an error,
// and otherwise a problem with the same members.
func (s *surface) validate(c *gate.Call) error {
	profile, err := profileOf(c)
	if err != nil {
		return err
	}
	o, err := s.offered(c.Now)
	if err != nil {
		return err
	}
	report, err := s.judge(c, validate.Options{Profile: profile, Support: o.takes})
	if err != nil {
		return err
	}
	if report.Valid {
		return c.JSON(http.StatusOK, report)
	}
	count := "1 error"
	if report.Summary.Errors != 1 {
		count = fmt.Sprintf("%d errors", report.Summary.Errors)
	}
	refusal, err := problem.New(problem.CodeValidationError, "The document has %s.", count).
		Violates(violations(report.Findings)...).Extend(report)
	if err != nil {
		return err
	}
	return refusal
}

// mostViolations is the largest number of violations in the schema of problems.
const mostViolations = 100

// violations converts the errors among the findings to violations of a problem.
func violations(findings []validate.Finding) []problem.Violation {
	var all []problem.Violation
	for _, f := range findings {
		if f.Severity != validate.Error || len(all) == mostViolations {
			break // the findings are sorted by severity
		}
		pointer, detail := f.Pointer, f.Message
		if pointer == "" { // the document is XML
			pointer, detail = "#", f.Path+": "+f.Message
		}
		if f.Suggestion != "" {
			detail += " " + f.Suggestion
		}
		all = append(all, problem.Violation{Pointer: pointer, Detail: detail})
	}
	return all
}

// judge parses the body according to its Content-Type and validates it.
func (s *surface) judge(c *gate.Call, options validate.Options) (validate.Report, error) {
	parse, encoding := xjdf.ParseJSON, xjdf.CanonicalJSON
	if strings.HasSuffix(c.ContentType, "xml") {
		parse, encoding = xjdf.ParseXML, xjdf.XML
	}
	var report validate.Report
	var err error
	waited := s.Slots.Do(c.Context(), func() {
		var doc *xjdf.Document
		if doc, err = parse(c.Body, xjdf.DefaultLimits); err == nil {
			report = s.validator.Validate(doc, options)
		}
	})
	if err = cmp.Or(waited, err); err == nil {
		return report, nil
	}
	var fault *xjdf.Error
	switch {
	case errors.Is(err, xjdf.ErrNoParseSlot):
		return validate.Report{}, problem.New(problem.CodeOverloaded, "The server is reading too many documents at once.").With(err).After(time.Second)
	case !errors.As(err, &fault):
		return validate.Report{}, fmt.Errorf("read a document: %w", err)
	}
	report = s.validator.Unreadable(fault, encoding, options.Profile)
	if xjdf.IsXML(c.Body) != (encoding == xjdf.XML) && fault.Reason == xjdf.ReasonSyntax {
		report.Findings[0].Suggestion = "Send XML as application/vnd.cip4-xjdf+xml, and JSON as application/vnd.cip4-xjdf+json."
	}
	return report, nil
}

// profiles returns the profiles of the contract, the default first. Clients of its release know no others.
func profiles() []validate.Profile {
	return []validate.Profile{validate.ProductIntent, validate.Strict}
}

// profileOf returns the requested profile, by the parameter or by the preference
// handling=strict (RFC 7240, section 4.4).
func profileOf(c *gate.Call) (validate.Profile, error) {
	requested := c.Request.URL.Query()["profile"]
	switch {
	case len(requested) > 1:
		return "", problem.New(problem.CodeInvalidRequest, "The parameter profile must be sent only once.")
	case len(requested) == 1:
		profile := validate.Profile(requested[0])
		if !slices.Contains(profiles(), profile) {
			return "", problem.New(problem.CodeInvalidRequest, "The parameter profile must be one of %s.", names(profiles()))
		}
		return profile, nil
	case prefersStrict(c.Request.Header["Prefer"]):
		c.Writer.Header()["Preference-Applied"] = []string{"handling=strict"}
		return validate.Strict, nil
	default:
		return validate.ProductIntent, nil
	}
}

// names joins the names of profiles.
func names(profiles []validate.Profile) string {
	all := make([]string, len(profiles))
	for i, profile := range profiles {
		all[i] = string(profile)
	}
	return strings.Join(all, ", ")
}

// prefersStrict reports whether Prefer fields contain handling=strict.
func prefersStrict(fields []string) bool {
	for _, field := range fields {
		for preference := range strings.SplitSeq(field, ",") {
			preference, _, _ = strings.Cut(preference, ";")
			name, value, _ := strings.Cut(strings.TrimSpace(preference), "=")
			if strings.EqualFold(strings.TrimSpace(name), "handling") && strings.EqualFold(strings.Trim(value, ` "`), "strict") {
				return true
			}
		}
	}
	return false
}
