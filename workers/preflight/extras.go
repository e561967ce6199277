// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/sandbox"
)

// extend adds the fixes, the comparison and the annotated copy that the job requests to the result of
// its inspection.
func (a *attempt) extend(ctx context.Context, spec sandbox.Spec, inspected sandbox.Inspected, result *preflightjob.Result) (err error) {
	spec.Progress, spec.Limits, spec.Pictures = nil, sandbox.Limits{}, false
	if a.job.Fixes != "" {
		fixing, span := a.Tracer.Start(ctx, telemetry.Inside, "fix file", slog.String("printmarket.fixes", string(a.job.Fixes)))
		result.Fixed, err = a.fix(fixing, spec, inspected)
		span.End(faultOf(err))
	}
	if a.job.CompareWith != "" && err == nil {
		comparing, span := a.Tracer.Start(ctx, telemetry.Inside, "compare files")
		result.Comparison, err = a.compare(comparing, spec, inspected)
		span.End(faultOf(err))
	}
	if a.job.Annotate != "" && err == nil {
		annotating, span := a.Tracer.Start(ctx, telemetry.Inside, "annotate file")
		result.Annotated, err = a.annotate(annotating, spec)
		span.End(faultOf(err))
	}
	return err
}

// fix applies the fixes of the job, and stores the fixed file. A limit of the inspector or of the
// storage is in the log.
func (a *attempt) fix(ctx context.Context, spec sandbox.Spec, inspected sandbox.Inspected) (*preflightjob.Fixed, error) {
	var update []byte
	var log report.FixLog
	err := a.printOn(ctx, &spec)
	if err == nil {
		update, log, err = a.Fix(ctx, spec, a.job.Fixes.Names())
	}
	code := a.limit(ctx, "fix", err)
	if errors.Is(err, preflightjob.ErrFileMissing) {
		code = string(preflightjob.FileUnavailable)
	}
	if code != "" {
		log = report.FixLog{Version: report.FixVersion, Engine: inspected.Engine, Before: inspected.File, After: inspected.File, Applied: []report.AppliedFix{}}
		requested := a.job.Fixes.Names()
		if len(requested) == 0 {
			requested = slices.DeleteFunc(report.Fixes(), func(fix report.Fix) bool { return !fix.Automatic() })
		}
		for _, fix := range requested {
			log.Skipped = append(log.Skipped, report.SkippedFix{Fix: fix, Reason: report.FixFailed, Detail: code})
		}
		return &preflightjob.Fixed{Log: log}, nil
	}
	if err != nil {
		return nil, err
	}
	fixed := &preflightjob.Fixed{Log: log}
	if len(update) == 0 {
		return fixed, nil
	}
	fixed.File, err = a.keepCopy(ctx, spec, update)
	if code := notStored(err); code != "" {
		undo(fixed, code)
		return fixed, nil
	}
	return fixed, err
}

// printOn sets the printing condition of the job.
func (a *attempt) printOn(ctx context.Context, spec *sandbox.Spec) error {
	wanted := a.job.Output
	if wanted == nil {
		return nil
	}
	spec.Output = &report.Output{Condition: wanted.Condition, Intent: wanted.Intent}
	if wanted.ProfileFile == "" {
		return nil
	}
	return a.untilStored(ctx, func() error {
		file, err := a.Files.Open(ctx, a.job.Tenant, wanted.ProfileFile)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		if spec.Output.Profile, err = io.ReadAll(io.LimitReader(file, report.MaxProfile)); err != nil {
			return &preflightjob.FileFaultError{Err: err}
		}
		return nil
	})
}

// keepCopy stores the file with an update at its end.
func (a *attempt) keepCopy(ctx context.Context, spec sandbox.Spec, update []byte) (*preflightjob.File, error) {
	info, err := spec.File.Stat()
	if err != nil {
		return nil, fmt.Errorf("copy file: %w", err)
	}
	var file preflightjob.File
	err = a.untilStored(ctx, func() (err error) {
		content := io.MultiReader(io.NewSectionReader(spec.File, 0, info.Size()), bytes.NewReader(update))
		file, err = a.Files.Keep(ctx, a.job.Tenant, preflightjob.PartnerFile, content, info.Size()+int64(len(update)))
		return err
	})
	if err != nil {
		return nil, err
	}
	return &file, nil
}

// annotate stores a copy of the file with the findings as comments. A file that gets no comments, and
// a limit, are the reason in the result.
func (a *attempt) annotate(ctx context.Context, spec sandbox.Spec) (*preflightjob.Annotated, error) {
	spec.Language = a.job.Annotate
	update, err := a.Annotate(ctx, spec)
	if refusal, ok := errors.AsType[report.Refusal](err); ok {
		return &preflightjob.Annotated{Reason: refusal.Error()}, nil
	}
	code := a.limit(ctx, "annotate", err)
	made := &preflightjob.Annotated{}
	if err == nil {
		made.File, err = a.keepCopy(ctx, spec, update)
		code = notStored(err)
	}
	if code != "" {
		return unannotated(code), nil
	}
	return made, err
}

// unannotated is the outcome of an annotation whose copy could not be made or stored.
func unannotated(code string) *preflightjob.Annotated {
	return &preflightjob.Annotated{Reason: "the copy could not be made or stored (" + code + ")"}
}

// limit logs the error of a run of the inspector beside the inspection, and returns the code of
// the limit that it reached; empty for any other error and for none.
func (a *attempt) limit(ctx context.Context, run string, err error) string {
	var failure *sandbox.Error
	if !errors.As(err, &failure) {
		return ""
	}
	for _, rule := range retryRules {
		if rule.is(err) {
			a.Log.WarnContext(ctx, "the job ends without a part of its result", "job", a.lease.ID, "attempt", a.lease.Attempt, "run", run, "error", err, "stderr", failure.Tail)
			return string(rule.code)
		}
	}
	return ""
}

// notStored returns the code of an error for which a copy is not stored; empty for an error
// that may pass.
func notStored(err error) string {
	var exceeded *preflightjob.StorageExceededError
	switch {
	case errors.As(err, &exceeded):
		return string(problem.CodeFileStorageExceeded)
	case errors.Is(err, preflightjob.ErrFileInfected):
		return string(problem.CodeFileRejected)
	case errors.Is(err, preflightjob.ErrFileTooLarge):
		return string(preflightjob.FileTooLarge)
	case errors.Is(err, preflightjob.ErrFilesDisabled):
		return string(problem.CodeFilesDisabled)
	default:
		return ""
	}
}

// undo makes the applied fixes skipped ones, because the fixed file is not stored.
func undo(fixed *preflightjob.Fixed, code string) {
	log := &fixed.Log
	for _, applied := range log.Applied {
		log.Skipped = append(log.Skipped, report.SkippedFix{Fix: applied.Fix, Reason: report.FixFailed, Detail: code})
	}
	log.Applied, log.After, fixed.File = []report.AppliedFix{}, log.Before, nil
}

// compare compares the file with that of the earlier job. A limit of the inspector, and an earlier
// file that was deleted, are in the comparison.
func (a *attempt) compare(ctx context.Context, spec sandbox.Spec, inspected sandbox.Inspected) (*report.Comparison, error) {
	failed := func(code string) *report.Comparison {
		return &report.Comparison{
			Version: report.ComparisonVersion, Engine: inspected.Engine, After: inspected.File, Failure: code,
			Document: []report.Change{}, Changed: []report.PageChange{},
			Fonts: noNames(), Colors: noNames(), Inks: noNames(), Layers: noNames(),
		}
	}
	spec.Other = spec.File
	err := a.untilStored(ctx, func() (err error) {
		spec.File, err = a.Files.Open(ctx, a.job.Tenant, a.job.CompareFile)
		return err
	})
	if errors.Is(err, preflightjob.ErrFileMissing) {
		return failed(string(preflightjob.FileUnavailable)), nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = spec.File.Close() }()
	made, err := a.Compare(ctx, spec)
	if code := a.limit(ctx, "compare", err); code != "" {
		return failed(code), nil
	}
	return &made, err
}

func noNames() report.Names { return report.Names{Removed: []string{}, Added: []string{}} }

// keepPictures stores the pictures of the inspection. Without them the job still succeeds, so an
// error is logged only.
func (a *attempt) keepPictures(ctx context.Context, made []byte) *preflightjob.Pictures {
	if made == nil {
		return nil
	}
	set, err := pageimage.Open(bytes.NewReader(made), int64(len(made)))
	if err == nil {
		kept := &preflightjob.Pictures{Pages: len(set.Pages())}
		err = a.untilStored(ctx, func() (err error) {
			kept.File, err = a.Files.Keep(ctx, a.job.Tenant, preflightjob.PictureFile, bytes.NewReader(made), int64(len(made)))
			return err
		})
		if err == nil {
			return kept
		}
	}
	a.Log.WarnContext(ctx, "the job ends without pictures", "job", a.lease.ID, "attempt", a.lease.Attempt, "error", err)
	return nil
}

// discard removes the bytes of files that no job has. The sweeper removes them later if this
// fails.
func (a *attempt) discard(ctx context.Context, files ...preflightjob.File) {
	for _, file := range files {
		if err := a.Files.Discard(file); err != nil {
			a.Log.WarnContext(ctx, "a file without a job was not removed; the sweeper will remove it", "file", file.ID, "error", err)
		}
	}
}
