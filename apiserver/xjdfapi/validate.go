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
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

// documentTypes lists the media types of documents (XJDF 2.2, section 9.10), and the generic
// types that the tools of authors use.
func documentTypes() []string {
	return []string{"application/vnd.cip4-xjdf+json", "application/json", "application/vnd.cip4-xjdf+xml", "application/xml", "text/xml"}
}

// packageTypes lists the media types of packages.
func packageTypes() []string {
	return []string{"application/vnd.cip4-xjmf+zip", "application/zip", "multipart/related"}
}

// validatedTypes lists the media types of documents and packages.
func validatedTypes() []string { return append(documentTypes(), packageTypes()...) }

// packageLimits bound a package beyond the limits of its body and of its documents.
func packageLimits() pack.Limits {
	return pack.Limits{Bytes: xjdf.DefaultLimits.Bytes, Entries: 500, Documents: 20, Expanded: 4 << 20, Document: xjdf.DefaultLimits}
}

// report is the report of a document, or that of a package with the reports of its documents.
type report struct {
	validate.Report
	Documents []packedReport `json:"documents,omitempty"`
}

// packedReport is the report of a document of a package.
type packedReport struct {
	Name string `json:"name"`
	validate.Report
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
	judge, what := s.judge, "document"
	if slices.Contains(packageTypes(), c.ContentType) {
		judge, what = s.judgePackage, "package"
	}
	found, err := judge(c, validate.Options{Profile: profile, Support: o.takes})
	if err != nil {
		return err
	}
	if found.Valid {
		return c.JSON(http.StatusOK, found)
	}
	count := "1 error"
	if found.Summary.Errors != 1 {
		count = fmt.Sprintf("%d errors", found.Summary.Errors)
	}
	all := violations(found.Findings)
	for i := range found.Documents {
		all = append(all, found.Documents[i].violations()...)
	}
	refusal, err := problem.New(problem.CodeValidationError, "The %s has %s.", what, count).
		Violates(all[:min(len(all), mostViolations)]...).Extend(found)
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

// violations converts the errors of a document to violations of a problem. A pointer is into the body of
// the request, so that the detail has the places within the package.
func (d *packedReport) violations() []problem.Violation {
	var all []problem.Violation
	for _, v := range violations(d.Findings) {
		detail := v.Detail
		if v.Pointer != wholeBody {
			detail = v.Pointer + ": " + detail
		}
		all = append(all, problem.Violation{Pointer: wholeBody, Detail: d.Name + ": " + detail})
	}
	return all
}

// judgePackage reads a package and validates its documents.
func (s *surface) judgePackage(c *gate.Call, options validate.Options) (report, error) {
	body, encoding := c.Body, "zip"
	if strings.HasPrefix(c.ContentType, "multipart/") {
		body, encoding = pack.WithHeader(c.Request.Header.Get("Content-Type"), body), "multipart"
	}
	limits := packageLimits()
	limits.Bytes += len(body) - len(c.Body)
	var results pack.Results
	var unread error
	if err := s.Slots.Do(c.Context(), func() {
		var found *pack.Package
		if found, unread = pack.Read(body, limits); unread == nil {
			results.AddPackage("", found, options)
		}
	}); err != nil {
		return report{}, notParsed(err)
	}
	if unread != nil {
		return report{}, problem.New(problem.CodeInvalidRequest, "The package cannot be read: %v.", unread)
	}
	all := report{Report: validate.Report{
		Valid: true, SchemaValid: true, VocabularyValid: true, Profile: options.Profile, Encoding: encoding,
		Unsupported: []validate.Unsupported{}, Defaults: []validate.Default{}, Findings: []validate.Finding{},
	}}
	for _, one := range results.Documents {
		r := one.Report
		all.Documents = append(all.Documents, packedReport{one.Document, r})
		all.Valid, all.SchemaValid, all.VocabularyValid = all.Valid && r.Valid, all.SchemaValid && r.SchemaValid, all.VocabularyValid && r.VocabularyValid
		all.Summary.Errors += r.Summary.Errors
		all.Summary.Warnings += r.Summary.Warnings
		all.Summary.Infos += r.Summary.Infos
		all.Summary.Omitted += r.Summary.Omitted
	}
	return all, nil
}

// notParsed returns the problem for a document that waited for a parse slot.
func notParsed(err error) error {
	if errors.Is(err, xjdf.ErrNoParseSlot) {
		return problem.New(problem.CodeOverloaded, "The server is reading too many documents at once.").With(err).After(time.Second)
	}
	return fmt.Errorf("read a document: %w", err)
}

// judge parses the body according to its Content-Type and validates it.
func (s *surface) judge(c *gate.Call, options validate.Options) (report, error) {
	parse, encoding := xjdf.ParseJSON, xjdf.CanonicalJSON
	if strings.HasSuffix(c.ContentType, "xml") {
		parse, encoding = xjdf.ParseXML, xjdf.XML
	}
	var made report
	var err error
	waited := s.Slots.Do(c.Context(), func() {
		var doc *xjdf.Document
		if doc, err = parse(c.Body, xjdf.DefaultLimits); err == nil {
			made.Report = s.validator.Validate(doc, options)
		}
	})
	if err = cmp.Or(waited, err); err == nil {
		return made, nil
	}
	var fault *xjdf.Error
	if !errors.As(err, &fault) {
		return report{}, notParsed(err)
	}
	made.Report = s.validator.Unreadable(fault, encoding, options.Profile)
	if xjdf.IsXML(c.Body) != (encoding == xjdf.XML) && fault.Reason == xjdf.ReasonSyntax {
		made.Findings[0].Suggestion = "Send XML as application/vnd.cip4-xjdf+xml, and JSON as application/vnd.cip4-xjdf+json."
	}
	return made, nil
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
