// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// Document names a stored document of a succeeded job.
type Document string

// The documents.
const (
	ReportDocument     Document = "report"
	FixLogDocument     Document = "fix log"
	ComparisonDocument Document = "comparison"
)

// FixAuto requests each fix for which the inspection has findings.
const FixAuto Fixes = "auto"

// Fixes holds the fixes that a job was submitted with: [FixAuto], or their names, separated by
// commas. It is empty for none.
type Fixes string

// FixesOf returns the Fixes with the given names.
func FixesOf(names ...string) Fixes { return Fixes(strings.Join(names, ",")) }

// Names returns the fixes by name; none for [FixAuto].
func (f Fixes) Names() []report.Fix {
	if f == "" || f == FixAuto {
		return nil
	}
	var names []report.Fix
	for name := range strings.SplitSeq(string(f), ",") {
		names = append(names, report.Fix(name))
	}
	return names
}

// MarshalJSON writes the string auto, or the list of names.
func (f Fixes) MarshalJSON() ([]byte, error) {
	if f == FixAuto {
		return json.Marshal(string(f))
	}
	return json.Marshal(f.Names())
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Fixes) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) == nil {
		*f = Fixes(name)
		return nil
	}
	var names []string
	if err := json.Unmarshal(text, &names); err != nil {
		return fmt.Errorf("fixes: %w", err)
	}
	*f = FixesOf(names...)
	return nil
}

// check returns the violation of fixes that are unknown or repeated, or nil.
func (f Fixes) check() []Violation {
	names := f.Names()
	for i, name := range names {
		if !slices.Contains(report.Fixes(), name) || slices.Contains(names[:i], name) {
			known := make([]string, len(report.Fixes()))
			for i, fix := range report.Fixes() {
				known[i] = string(fix)
			}
			return []Violation{{Pointer: fmt.Sprintf("#/fix/%d", i), Code: "NOT_ALLOWED", Detail: "must be one of, and each once: " + strings.Join(known, ", ")}}
		}
	}
	return nil
}

// Output is the printing condition for the fixes of a file that states none, and for conversions of
// colours. It is the JSON of the API.
type Output struct {
	// ProfileFile is the id of a stored file with an ICC profile for CMYK; empty for none.
	ProfileFile string `json:"profileFileId,omitempty"`
	// Condition is the identifier of the condition, such as FOGRA51, at most [MaxCondition] characters.
	Condition string `json:"condition,omitempty"`
	// Intent is one of [report.Intents]; empty for the first.
	Intent string `json:"renderingIntent,omitempty"`
}

// MaxCondition is the maximum length of [Output.Condition], in characters.
const MaxCondition = 128

// check returns the violations of the texts of a printing condition, which may be nil.
func (o *Output) check() (found []Violation) {
	if o == nil {
		return nil
	}
	if code, detail := checkText(o.Condition, MaxCondition); code != "" {
		found = append(found, Violation{Pointer: "#/output/condition", Code: code, Detail: detail})
	}
	if intents := report.Intents(); o.Intent != "" && !slices.Contains(intents, o.Intent) {
		found = append(found, Violation{Pointer: "#/output/renderingIntent", Code: "NOT_ALLOWED", Detail: "must be one of: " + strings.Join(intents, ", ")})
	}
	return found
}

// Value implements [driver.Valuer]: JSON, or NULL for nil.
func (o *Output) Value() (driver.Value, error) {
	if o == nil {
		return nil, nil
	}
	text, err := json.Marshal(o)
	return string(text), err
}

// Scan implements [database/sql.Scanner] for values of [Output.Value].
func (o *Output) Scan(stored any) error { return scanJSON(stored, o, "printing condition of a job") }

// Summary describes the documents and pictures of a succeeded job, beside its report. A member is
// nil if the job has none.
type Summary struct {
	Fix        *FixSummary        `json:"fix,omitempty"`
	Comparison *ComparisonSummary `json:"comparison,omitempty"`
	Annotated  *AnnotatedSummary  `json:"annotated,omitempty"`
	Pictures   *PictureSummary    `json:"pictures,omitempty"`
}

// FixSummary summarizes a fix log.
type FixSummary struct {
	Applied []report.Fix `json:"applied"`
	Skipped []report.Fix `json:"skipped"`
	// FileID is the id of the fixed file; empty if nothing was changed.
	FileID string `json:"fileId,omitempty"`
}

// ComparisonSummary summarizes a comparison.
type ComparisonSummary struct {
	Same     bool `json:"same"`
	Complete bool `json:"complete"`
	// Pages counts the pages that differ.
	Pages int `json:"pages"`
}

// AnnotatedSummary refers to an annotated copy.
type AnnotatedSummary struct {
	// FileID is the id of the copy. Without one, Reason is the sentence that the partner reads.
	FileID string `json:"fileId,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// PictureSummary refers to the pictures of pages.
type PictureSummary struct {
	FileID string `json:"fileId"`
	// Pages counts the pages with pictures.
	Pages int `json:"pages"`
}

// Value implements [driver.Valuer].
func (s *Summary) Value() (driver.Value, error) {
	if s == nil {
		return nil, nil
	}
	text, err := json.Marshal(s)
	return string(text), err
}

// Scan implements [database/sql.Scanner] for values of [Summary.Value]. It ignores the members of
// later releases.
func (s *Summary) Scan(stored any) error { return scanJSON(stored, s, "summary of a job") }

// scanJSON decodes a text of the database. It ignores the members of later releases.
func scanJSON[T any](stored any, into *T, what string) error {
	var text []byte
	switch v := stored.(type) {
	case string:
		text = []byte(v)
	case []byte:
		text = v
	default:
		return fmt.Errorf("%s: a %T in the database", what, stored)
	}
	var read T
	if err := json.Unmarshal(text, &read); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	*into = read
	return nil
}

// Fixed is the outcome of the fixes of a job.
type Fixed struct {
	Log report.FixLog
	// File is the stored fixed file; nil if nothing was changed. Its row does not exist before
	// the job ends.
	File *File
}

// Annotated is the outcome of the annotation of a job: the stored copy, whose row does not exist
// before the job ends, or the reason why there is none.
type Annotated struct {
	File   *File
	Reason string
}

// Pictures holds the stored pictures of pages. The row of the file does not exist before the job
// ends.
type Pictures struct {
	File File
	// Pages counts the pages with pictures.
	Pages int
}

// Files returns the stored files of a result.
func (r Result) Files() (files []File) {
	if r.Fixed != nil && r.Fixed.File != nil {
		files = append(files, *r.Fixed.File)
	}
	if r.Annotated != nil && r.Annotated.File != nil {
		files = append(files, *r.Annotated.File)
	}
	if r.Pictures != nil {
		files = append(files, r.Pictures.File)
	}
	return files
}

// summary returns the summary of fixes.
func (f *Fixed) summary() *FixSummary {
	s := &FixSummary{Applied: []report.Fix{}, Skipped: []report.Fix{}}
	for _, applied := range f.Log.Applied {
		s.Applied = append(s.Applied, applied.Fix)
	}
	for _, skipped := range f.Log.Skipped {
		if !slices.Contains(s.Skipped, skipped.Fix) {
			s.Skipped = append(s.Skipped, skipped.Fix)
		}
	}
	if f.File != nil {
		s.FileID = f.File.ID
	}
	return s
}

// extras holds the encoded documents beside the report, and their summary.
type extras struct {
	fixLog, comparison []byte
	summary            *Summary
}

// extras encodes the documents of a result.
func (r Result) extras() (e extras, err error) {
	if r.Fixed == nil && r.Comparison == nil && r.Annotated == nil && r.Pictures == nil {
		return extras{}, nil
	}
	e.summary = &Summary{}
	if r.Pictures != nil {
		e.summary.Pictures = &PictureSummary{FileID: r.Pictures.File.ID, Pages: r.Pictures.Pages}
	}
	if r.Annotated != nil {
		e.summary.Annotated = &AnnotatedSummary{Reason: r.Annotated.Reason}
		if r.Annotated.File != nil {
			e.summary.Annotated.FileID = r.Annotated.File.ID
		}
	}
	if r.Fixed != nil {
		e.summary.Fix = r.Fixed.summary()
		e.fixLog, err = report.EncodeFixLog(r.Fixed.Log)
	}
	if r.Comparison != nil && err == nil {
		c := r.Comparison
		e.summary.Comparison = &ComparisonSummary{Same: c.Same, Complete: c.Complete, Pages: len(c.Changed) + c.Omitted}
		e.comparison, err = report.EncodeComparison(*c)
	}
	if err != nil || len(e.fixLog) > MaxReport || len(e.comparison) > MaxReport {
		return extras{}, errors.Join(fmt.Errorf("%w: fix log of %d bytes, comparison of %d bytes", ErrInvalidResult, len(e.fixLog), len(e.comparison)), err)
	}
	return e, nil
}

// NoDocumentError means that a succeeded job has no such document or file.
type NoDocumentError struct {
	// Detail is the sentence that the partner reads.
	Detail string
}

func (e *NoDocumentError) Error() string { return e.Detail }

// ErrCopyGone means that a fixed or annotated copy has expired or was deleted.
var ErrCopyGone = errors.New("the copy of the file has expired or was deleted")

// earlierWorker begins the detail of a [NoDocumentError] during an upgrade.
const earlierWorker = "A worker of an earlier release processed the job, "

// FixLog returns the stored bytes of the fix log of an owned job. In addition to the errors of
// Report, it returns a [NoDocumentError].
func (s *Service) FixLog(ctx context.Context, owner tenant.ID, id string) ([]byte, error) {
	return s.document(ctx, owner, id, FixLogDocument, func(job Job) error {
		switch {
		case job.Fixes == "":
			return &NoDocumentError{"The job was submitted without `fix`."}
		case job.Summary == nil || job.Summary.Fix == nil:
			return &NoDocumentError{earlierWorker + "without its fixes. Submit it again."}
		default:
			return nil
		}
	})
}

// Comparison returns the stored bytes of the comparison of an owned job, with the errors of
// [Service.FixLog].
func (s *Service) Comparison(ctx context.Context, owner tenant.ID, id string) ([]byte, error) {
	return s.document(ctx, owner, id, ComparisonDocument, func(job Job) error {
		switch {
		case job.CompareWith == "":
			return &NoDocumentError{"The job was submitted without `compareWith`."}
		case job.Summary == nil || job.Summary.Comparison == nil:
			return &NoDocumentError{earlierWorker + "without the comparison. Submit it again."}
		default:
			return nil
		}
	})
}

// FixedFile returns the fixed file of an owned job, and opens it for reading. In addition to the
// errors of [Service.FixLog], it returns [ErrCopyGone], [ErrFilesDisabled] and
// [FileFaultError].
func (s *Service) FixedFile(ctx context.Context, owner tenant.ID, id string) (File, *os.File, error) {
	return s.openCopy(ctx, owner, id, func(job Job) (string, *NoDocumentError) {
		switch {
		case job.Fixes == "":
			return "", &NoDocumentError{"The job was submitted without `fix`."}
		case job.Summary == nil || job.Summary.Fix == nil || job.Summary.Fix.FileID == "":
			return "", &NoDocumentError{"No fix was applied, so the job has no fixed file. The fix log gives the reasons."}
		default:
			return job.Summary.Fix.FileID, nil
		}
	})
}

// AnnotatedFile returns the annotated copy of an owned job, and opens it for reading. It returns the
// errors of [Service.FixedFile].
func (s *Service) AnnotatedFile(ctx context.Context, owner tenant.ID, id string) (File, *os.File, error) {
	return s.openCopy(ctx, owner, id, func(job Job) (string, *NoDocumentError) {
		switch {
		case job.Annotate == "":
			return "", &NoDocumentError{"The job was submitted without `annotate`."}
		case job.Summary == nil || job.Summary.Annotated == nil:
			return "", &NoDocumentError{earlierWorker + "without its annotated copy. Submit it again."}
		case job.Summary.Annotated.FileID == "":
			return "", &NoDocumentError{"The job has no annotated copy: " + job.Summary.Annotated.Reason + "."}
		default:
			return job.Summary.Annotated.FileID, nil
		}
	})
}

// openCopy opens the file that a job made, by the id that which returns.
func (s *Service) openCopy(ctx context.Context, owner tenant.ID, id string, which func(Job) (fileID string, none *NoDocumentError)) (File, *os.File, error) {
	job, err := s.succeeded(ctx, owner, id)
	if err != nil {
		return File{}, nil, err
	}
	fileID, none := which(job)
	switch {
	case none != nil:
		return File{}, nil, none
	case s.storesNoFiles():
		return File{}, nil, ErrFilesDisabled
	}
	file, content, err := s.config.Files.open(ctx, owner, PartnerFile, fileID)
	switch {
	case errors.Is(err, ErrFileMissing):
		return File{}, nil, ErrCopyGone
	case err != nil:
		return File{}, nil, fmt.Errorf("read copy: %w", err)
	case !s.now().Before(file.ExpiresAt):
		_ = content.Close()
		return File{}, nil, ErrCopyGone
	default:
		return file, content, nil
	}
}

// Pictures opens the pictures of the pages of an owned job for reading. In addition to the errors of
// [Service.FixLog], it returns [ErrFilesDisabled] and [FileFaultError].
func (s *Service) Pictures(ctx context.Context, owner tenant.ID, id string) (File, *os.File, error) {
	job, err := s.succeeded(ctx, owner, id)
	switch {
	case err != nil:
		return File{}, nil, err
	case job.Summary == nil || job.Summary.Pictures == nil:
		return File{}, nil, &NoDocumentError{"The job has no pictures."}
	case s.storesNoFiles():
		return File{}, nil, ErrFilesDisabled
	}
	file, content, err := s.config.Files.open(ctx, owner, PictureFile, job.Summary.Pictures.FileID)
	if errors.Is(err, ErrFileMissing) {
		// The file was removed after the job was read, or its storage lost it.
		return File{}, nil, &NoDocumentError{"The pictures of the job are not stored any more."}
	}
	if err != nil {
		return File{}, nil, fmt.Errorf("read pictures: %w", err)
	}
	return file, content, nil
}

// compared returns the id of the file that a request is compared with, or the violation of
// compareWith. The error is one of the store.
func (s *Service) compared(ctx context.Context, owner tenant.ID, request Request) (fileID string, found []Violation, err error) {
	violation := func(detail string) (string, []Violation, error) {
		return "", []Violation{{Pointer: "#/compareWith", Code: "NOT_ALLOWED", Detail: detail}}, nil
	}
	const stranger = "must be the id of one of your jobs that is not deleted"
	switch {
	case request.CompareWith == "":
		return "", nil, nil
	case s.storesNoFiles():
		return violation(absentWithoutFiles)
	case isSimulated(owner, request.Profile):
		return violation(absentInSimulation)
	}
	earlier, err := s.Get(ctx, owner, request.CompareWith)
	if errors.Is(err, transaction.ErrNotFound) || errors.Is(err, ErrGone) {
		return violation(stranger)
	}
	if err != nil {
		return "", nil, fmt.Errorf("submit job: %w", err)
	}
	files := []string{earlier.FileURL.FileID()}
	if earlier.Summary != nil && earlier.Summary.Fix != nil {
		files = append(files, earlier.Summary.Fix.FileID)
	}
	for _, id := range files {
		_, err := s.config.Files.Get(ctx, owner, id)
		if err == nil {
			return id, nil, nil
		}
		if !errors.Is(err, transaction.ErrNotFound) {
			return "", nil, fmt.Errorf("submit job: %w", err)
		}
	}
	if earlier.FileURL.FileID() == "" && len(files) == 1 {
		return violation("must be a job with a stored file: the file of job " + earlier.ID + " was fetched and is not stored; upload files to compare them")
	}
	return violation("must be a job with a stored file: the file of job " + earlier.ID + " has expired or was deleted; upload it again")
}

// judgeCopies returns the violations of the requested copies: a fixed one, with the
// printing condition, and an annotated one.
func (s *Service) judgeCopies(owner tenant.ID, request Request) (found []Violation) {
	requested := map[string]bool{"#/annotate": request.Annotate != "", "#/fix": request.Fixes != "", "#/output": request.Output != nil}
	for _, pointer := range slices.Sorted(maps.Keys(requested)) {
		switch {
		case !requested[pointer]:
		case s.storesNoFiles():
			found = append(found, Violation{Pointer: pointer, Code: "NOT_ALLOWED", Detail: absentWithoutFiles})
		case isSimulated(owner, request.Profile):
			found = append(found, Violation{Pointer: pointer, Code: "NOT_ALLOWED", Detail: absentInSimulation})
		}
	}
	if found != nil {
		return found
	}
	if languages := report.Languages(); request.Annotate != "" && !slices.Contains(languages, request.Annotate) {
		found = append(found, Violation{Pointer: "#/annotate", Code: "NOT_ALLOWED", Detail: "must be one of: " + strings.Join(languages, ", ")})
	}
	if request.Output != nil && request.Fixes == "" {
		found = append(found, Violation{Pointer: "#/output", Code: "NOT_ALLOWED", Detail: "must be absent without `fix`, which uses it"})
	}
	unknown := request.Fixes.check()
	if i, reason := report.ContraryFix(request.Fixes.Names(), request.Ticket); unknown == nil && i >= 0 {
		found = append(found, Violation{Pointer: fmt.Sprintf("#/fix/%d", i), Code: "NOT_ALLOWED", Detail: reason})
	}
	return append(append(found, unknown...), request.Output.check()...)
}

// printed returns the violation of the ICC profile of a request. The error is one of the store.
func (s *Service) printed(ctx context.Context, owner tenant.ID, output *Output) ([]Violation, error) {
	if output == nil || output.ProfileFile == "" || s.storesNoFiles() {
		return nil, nil
	}
	violation := func(detail string) ([]Violation, error) {
		return []Violation{{Pointer: "#/output/profileFileId", Code: "NOT_ALLOWED", Detail: detail}}, nil
	}
	file, err := s.config.Files.Get(ctx, owner, output.ProfileFile)
	switch {
	case errors.Is(err, transaction.ErrNotFound):
		return violation("must be the id of one of your files that has not expired")
	case err != nil:
		return nil, fmt.Errorf("submit job: %w", err)
	case file.Bytes > report.MaxProfile:
		return violation(fmt.Sprintf("must be a file of at most %d bytes", report.MaxProfile))
	default:
		return nil, nil
	}
}

const (
	absentWithoutFiles = "must be absent: this installation stores no files"
	absentInSimulation = "must be absent with a simulated profile, which reads no file"
)

func (s *Service) storesNoFiles() bool { return s.config.Files == nil || s.config.Files.Disabled() }
