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
	xjdfdoc "github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// documentTypes are the media types of documents (XJDF 2.2, section 9.10), and
// what their authors' tools call them.
func documentTypes() []string {
	return []string{"application/vnd.cip4-xjdf+json", "application/json", "application/vnd.cip4-xjdf+xml", "application/xml", "text/xml"}
}

// validate serves POST /api/v1/xjdf/validate: the report, as a success if no
// finding is an error and as a problem with the same members if one is.
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
	refusal, err := problem.New(problem.CodeValidationError, "The document has %s.", faults(report.Summary.Errors)).
		Violates(violations(report.Findings)...).Extend(report)
	if err != nil {
		return err
	}
	return refusal
}

// mostViolations is how many the schema of problems allows.
const mostViolations = 100

// violations are the errors among the findings, as every problem has them.
func violations(findings []validate.Finding) []problem.Violation {
	var all []problem.Violation
	for _, f := range findings {
		if f.Severity != validate.Error || len(all) == mostViolations {
			break // the gravest come first
		}
		pointer, detail := "#", f.Path+": "+f.Message
		if f.Pointer != nil {
			pointer, detail = problem.Fragment(*f.Pointer), f.Message
		}
		if f.Suggestion != "" {
			detail += " " + f.Suggestion
		}
		all = append(all, problem.Violation{Pointer: pointer, Detail: detail})
	}
	return all
}

func faults(errors int) string {
	if errors == 1 {
		return "1 error"
	}
	return fmt.Sprintf("%d errors", errors)
}

// judge reads the body as what it was sent as, and validates it.
func (s *surface) judge(c *gate.Call, options validate.Options) (validate.Report, error) {
	parse, encoding := xjdfdoc.ParseJSON, xjdfdoc.CanonicalJSON
	if strings.HasSuffix(c.ContentType, "xml") {
		parse, encoding = xjdfdoc.ParseXML, xjdfdoc.XML
	}
	var report validate.Report
	var err error
	waited := s.turns.Do(c.Context(), func() {
		var doc *xjdfdoc.Document
		if doc, err = parse(c.Body, xjdfdoc.DefaultLimits); err == nil {
			report = s.validator.Validate(doc, options)
		}
	})
	if err = cmp.Or(waited, err); err == nil {
		return report, nil
	}
	var fault *xjdfdoc.Error
	switch {
	case errors.Is(err, xjdfdoc.ErrNoParseSlot):
		return validate.Report{}, problem.New(problem.CodeOverloaded, "Too many documents are being read.").With(err).After(time.Second)
	case !errors.As(err, &fault):
		return validate.Report{}, fmt.Errorf("read a document: %w", err)
	}
	report = s.validator.Unreadable(fault, encoding, options.Profile)
	if xjdfdoc.IsXML(c.Body) != (encoding == xjdfdoc.XML) && fault.Reason == xjdfdoc.ReasonSyntax {
		report.Findings[0].Suggestion = "Send XML as application/vnd.cip4-xjdf+xml, and JSON as application/vnd.cip4-xjdf+json."
	}
	return report, nil
}

// profileOf is the profile that the request asks for, by the parameter or by the
// preference handling=strict (RFC 7240, section 4.4).
func profileOf(c *gate.Call) (validate.Profile, error) {
	asked := c.Request.URL.Query()["profile"]
	switch {
	case len(asked) > 1:
		return "", problem.New(problem.CodeInvalidRequest, "The parameter profile is there more than once.")
	case len(asked) == 1:
		profile := validate.Profile(asked[0])
		if !slices.Contains(validate.Profiles(), profile) {
			return "", problem.New(problem.CodeInvalidRequest, "The parameter profile is none of %s.", names(validate.Profiles()))
		}
		return profile, nil
	case prefersStrict(c.Request.Header["Prefer"]):
		c.Writer.Header()["Preference-Applied"] = []string{"handling=strict"}
		return validate.Strict, nil
	default:
		return validate.ProductIntent, nil
	}
}

func names(profiles []validate.Profile) string {
	all := make([]string, len(profiles))
	for i, profile := range profiles {
		all[i] = string(profile)
	}
	return strings.Join(all, ", ")
}

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
