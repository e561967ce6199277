// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/safehttp"
)

// The names of the fields of a form. The file comes last.
const (
	FieldProfile   = "profile"
	FieldReference = "clientReference"
	FieldFix       = "fix"
	FieldAnnotate  = "annotate"
	FieldWidth     = "width"
	FieldHeight    = "height"
	FieldPages     = "pages"
	FieldProcess   = "process"
	FieldSpots     = "spots"
	FieldQuantity  = "quantity"
	FieldRFQ       = "rfqId"
	// FieldToken is a random text that is new in each form. A form that is sent twice creates one
	// job.
	FieldToken = "token"
	FieldFile  = "file"
)

const (
	// maxFields bounds the fields before the file of a form, and maxFieldBytes all of their names
	// and values.
	maxFields     = 32
	maxFieldBytes = 8 << 10
	// maxToken bounds a token, in bytes.
	maxToken = 64
)

// MaxFileBytes is the maximum size of an uploaded file.
const MaxFileBytes = safehttp.DefaultMaxBytes

// Forms submits the files of HTML forms for a listener other than the API's. A form passes the
// checks and limits of UploadFile, then those of SubmitPreflight.
type Forms struct{ surface *surface }

// NewForms returns the forms of a surface with the given dependencies.
func NewForms(config Config, set *contracts.Set) (*Forms, error) {
	s, err := newSurface(config, set)
	if err != nil {
		return nil, err
	}
	return &Forms{s}, nil
}

// Disabled reports whether this installation accepts no uploads.
func (f *Forms) Disabled() bool { return f.surface.Files.Disabled() }

// Profiles returns the profiles that a caller can use, by name.
func (f *Forms) Profiles(caller posture.Caller) ([]ProfileSummary, error) {
	profiles, err := f.surface.registry.listFor(caller)
	return profiles.list.Items, err
}

// Route returns a route that receives a form at a path of the listener. The listener authenticates
// the caller in its own way.
func (f *Forms) Route(pattern string, authenticate func(*gate.Call) (posture.Caller, *problem.Problem), serve gate.Handler) *gate.Route {
	return &gate.Route{
		Method: http.MethodPost, Pattern: pattern, Capability: posture.Preflight, Write: true, Offers: []string{MediaHTML},
		Body:         &gate.Body{Limit: uploadLimit, MediaTypes: []string{mediaForm}, Stream: true},
		Authenticate: authenticate, Serve: serve,
	}
}

// Submit stores the file of a form as it arrives and submits a job for it. If the job is refused or
// was created before, the file is deleted again.
func (f *Forms) Submit(c *gate.Call) (preflightjob.Job, error) {
	s := f.surface
	fields, file, err := s.receive(c)
	if err != nil {
		return preflightjob.Job{}, err
	}
	made, err := s.submitForm(c, fields, file)
	refusal := (*problem.Problem)(nil)
	if errors.As(err, &refusal) && refused(refusal) || err == nil && made.Job.FileURL.FileID() != file.ID {
		_ = s.Files.Delete(c.Context(), c.Tenant(), file.ID) // a file that remains expires
	}
	return made.Job, err
}

// refused reports whether a problem excludes that the job exists. After a failure of the store, the
// job may exist and needs its file.
func refused(p *problem.Problem) bool {
	definition, _ := problem.Lookup(p.Code)
	return definition.Status < http.StatusInternalServerError
}

// receive reads the fields of a form and stores its file.
func (s *surface) receive(c *gate.Call) (url.Values, preflightjob.File, error) {
	body, refusal := c.Upload(s.Uploads)
	if refusal != nil {
		return nil, preflightjob.File{}, refusal
	}
	defer body.Close()
	sent, err := newForm(c.Request.Header.Get("Content-Type"), body)
	if err != nil {
		return nil, preflightjob.File{}, err
	}
	fields, err := sent.fields()
	if err != nil {
		return nil, preflightjob.File{}, err
	}
	// The file has at least this size, so that a file that is too large is refused before it arrives.
	least := max(-1, c.Request.ContentLength-(uploadLimit-MaxFileBytes))
	file, err := s.store(c, preflightjob.Upload{Content: sent, Bytes: least})
	return fields, file, err
}

// submitForm submits the job of a form with a stored file.
func (s *surface) submitForm(c *gate.Call, fields url.Values, file preflightjob.File) (preflightjob.Submitted, error) {
	document := documentOf(fields)
	document["fileId"] = file.ID
	if violations := s.violations(document); len(violations) > 0 {
		return preflightjob.Submitted{}, invalid(violations)
	}
	c.Document = document
	var body PreflightSubmit
	if err := c.Bind(&body); err != nil {
		return preflightjob.Submitted{}, err
	}
	// Each upload has another id. The content identifies a form that is sent again, and a form
	// that was changed creates another job.
	document["fileId"] = file.SHA256
	if token := fields.Get(FieldToken); token != "" {
		digest := gate.Fingerprint(document)
		c.Key = "form:" + token + ":" + hex.EncodeToString(digest[:])
	}
	return s.submit(c, body)
}

// fields reads the fields before the file, which must be the last part and have a name. Without a
// reference, the name of the file is the reference.
func (f *form) fields() (url.Values, error) {
	fields, left := url.Values{}, int64(maxFieldBytes)
	for f.part.FormName() != FieldFile {
		name := f.part.FormName()
		value, err := io.ReadAll(io.LimitReader(f.part, left+1))
		if err != nil {
			return nil, formProblem(err)
		}
		if left -= int64(len(name) + len(value)); left < 0 || len(fields) == maxFields || fields.Has(name) {
			return nil, problem.New(problem.CodeInvalidRequest, "The form has too many fields, or a field that is too long or repeated.")
		}
		fields.Set(name, strings.TrimSpace(string(value)))
		if f.part, err = f.parts.NextRawPart(); err != nil {
			return nil, formProblem(err)
		}
	}
	if f.part.FileName() == "" {
		return nil, problem.New(problem.CodeInvalidRequest, "The form has no file. Choose a PDF.")
	}
	if token := fields.Get(FieldToken); len(token) > maxToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, problem.New(problem.CodeInvalidRequest, "The form has an invalid token. Load the page again.")
	}
	if fields.Get(FieldReference) == "" {
		fields.Set(FieldReference, referenceOf(f.part.FileName()))
	}
	return fields, nil
}

// referenceOf makes a client reference of the name of a file.
func referenceOf(name string) string {
	visible := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	characters := []rune(visible)
	return strings.TrimSpace(string(characters[:min(len(characters), preflightjob.MaxReference)]))
}

// documentOf converts the fields of a form to the body of a submission. A text that is not a number
// stays a text, so that the contract refuses it.
func documentOf(fields url.Values) map[string]any {
	set := func(in map[string]any, member, field string) {
		if text := fields.Get(field); text != "" {
			in[member] = text
		}
	}
	setNumber := func(in map[string]any, member, field string) {
		set(in, member, field)
		if text := fields.Get(field); text != "" && json.Valid([]byte(text)) && strings.Trim(text, "0123456789.eE+-") == "" {
			in[member] = json.Number(text)
		}
	}
	document, intent, size, colors := map[string]any{}, map[string]any{}, map[string]any{}, map[string]any{}
	set(document, "profile", FieldProfile)
	set(document, "clientReference", FieldReference)
	set(document, "fix", FieldFix)
	set(document, "annotate", FieldAnnotate)
	setNumber(size, "width", FieldWidth)
	setNumber(size, "height", FieldHeight)
	setNumber(colors, "process", FieldProcess)
	var spots []any
	for name := range strings.SplitSeq(fields.Get(FieldSpots), ",") {
		if name = strings.TrimSpace(name); name != "" {
			spots = append(spots, name)
		}
	}
	if len(spots) > 0 {
		colors["spots"] = spots
	}
	for member, made := range map[string]map[string]any{"trimSize": size, "colors": colors} {
		if len(made) > 0 {
			intent[member] = made
		}
	}
	setNumber(intent, "pages", FieldPages)
	setNumber(intent, "quantity", FieldQuantity)
	set(intent, "rfqId", FieldRFQ)
	if len(intent) > 0 {
		document["intent"] = intent
	}
	return document
}
