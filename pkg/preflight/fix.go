// SPDX-License-Identifier: Apache-2.0

package preflight

// A fixed copy is the file with an incremental update appended, as an annotated copy is. Fix
// inspects the copy again, and compares it with the file, before it returns the update.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
	"github.com/printmarket/printmarket/pkg/preflight/report"
	"github.com/printmarket/printmarket/pkg/preflight/rules"
)

// Fix returns the bytes that fix a file, for appending, and the log of all changes. Without fixes,
// it applies those for which the inspection by the profile has findings and which are possible,
// if they are [report.Fix.Automatic]. All of them are skipped if the file cannot be opened.
// Given fixes are applied either all or not at all. The update is empty when nothing was changed.
// An error means that the file could not be read, or that the context ended.
//
// Fix inspects the file with the update, and compares both: a fix is not possible if its rules
// have findings still, or if the inks differ, except in the bleed that was added and where text, lines
// and white objects were changed.
func Fix(ctx context.Context, file io.ReaderAt, size int64, p profile.Profile, fixes []report.Fix, opts Options) ([]byte, report.FixLog, error) {
	if opts.Limits == (document.Limits{}) {
		opts.Limits = document.DefaultLimits()
	}
	opts.Progress, opts.Pictures = nil, nil
	inspected, err := Inspect(ctx, file, size, p, opts)
	if err != nil {
		return nil, report.FixLog{}, err
	}
	selected := slices.DeleteFunc(report.Fixes(), func(fix report.Fix) bool {
		if len(fixes) > 0 {
			return !slices.Contains(fixes, fix)
		}
		return !fix.Automatic() || inspected.Document != nil && !found(inspected, fix)
	})
	skipped := []report.SkippedFix{}
	above := false
	for {
		update, log, err := applyAll(ctx, fixer{source: Source{file, size}, report: inspected, findings: inspected.Findings, profile: p, opts: opts, above: above}, selected)
		impossible, ok := errors.AsType[*impossibleError](err)
		if !ok {
			log.Skipped = skipped
			return update, log, err
		}
		// The page may cover the bleed that was drawn below it.
		if (impossible.Fix == report.FixBleed || impossible.Fix == report.FixStretch) && impossible.Reason == report.FixFaulty && !above {
			above = true
			continue
		}
		for _, fix := range selected {
			if impossible.Fix == "" || impossible.Fix == fix {
				skipped = append(skipped, report.SkippedFix{Fix: fix, Page: impossible.Page, Reason: impossible.Reason, Detail: impossible.Detail})
			}
		}
		selected = slices.DeleteFunc(selected, func(fix report.Fix) bool { return len(fixes) > 0 || impossible.Fix == "" || impossible.Fix == fix })
	}
}

// applyAll applies fixes. In a copy of another size, the artwork may reach into the bleed: the bleed is
// added only if an inspection of that copy misses it.
func applyAll(ctx context.Context, x fixer, fixes []report.Fix) ([]byte, report.FixLog, error) {
	bleeds := func(fix report.Fix) bool { return fix == report.FixBleed || fix == report.FixStretch }
	resizes := func(fix report.Fix) bool { return fix == report.FixTrim || fix == report.FixScale }
	if slices.ContainsFunc(fixes, bleeds) && slices.ContainsFunc(fixes, resizes) {
		resized := x
		update, log, err := resized.apply(ctx, slices.DeleteFunc(slices.Clone(fixes), bleeds))
		if err != nil || len(log.Applied) > 0 && !found(resized.after, report.FixBleed) {
			return update, log, err
		}
		if len(log.Applied) > 0 {
			x.findings = resized.after.Findings
		}
	}
	return x.apply(ctx, fixes)
}

// impossibleError means that a fix is not possible; without a fix, none is.
type impossibleError report.SkippedFix

func (e *impossibleError) Error() string { return fmt.Sprintf("%s: %s", e.Fix, e.Reason) }

// found reports whether a report has findings that a fix removes.
func found(r report.Report, fix report.Fix) bool {
	return slices.ContainsFunc(r.Findings, func(f report.Finding) bool { return slices.Contains(fix.Rules(), f.Rule) })
}

// fixer changes objects of a file.
type fixer struct {
	source Source
	report report.Report
	// findings are those of which fixes of single pages remove the fault, and after is the report of the
	// copy.
	findings []report.Finding
	after    report.Report
	profile  profile.Profile
	opts     Options
	// above is set to draw the bleed above the page.
	above bool

	file      *document.File
	collector *facts.Collector
	facts     *facts.Document
	pages     []document.Page
	update    *update
	// edits are the changed dictionaries, and order their order.
	edits map[types.IndirectRef]types.Dict
	order []types.IndirectRef
	// texts are the contents that fixes have written.
	texts map[types.IndirectRef]string
	// changed are the boxes of changed marks by page, and scales the factors of scaled pages by
	// index.
	changed map[int][]geom.Rect
	scales  map[int]float64
}

// apply applies fixes. The error is an [impossibleError] if one of them is not possible.
func (x *fixer) apply(ctx context.Context, fixes []report.Fix) ([]byte, report.FixLog, error) {
	log := report.FixLog{
		Version: report.FixVersion, Engine: x.report.Engine, Before: x.report.File, After: x.report.File, Applied: []report.AppliedFix{},
	}
	if len(fixes) == 0 {
		return nil, log, nil
	}
	if x.report.Document != nil && x.report.Document.Signatures > 0 {
		return nil, log, &impossibleError{Reason: report.FixSigned}
	}
	x.collector = facts.NewCollector(nil)
	file, base, err := open(ctx, x.source.File, x.source.Size, x.opts.Limits, x.collector)
	if err != nil {
		return nil, log, unfit(err)
	}
	x.file, x.facts, x.pages, x.update = file, x.collector.Document(), file.Pages(), &update{base: base, next: base.Next}
	x.edits, x.texts, x.scales = map[types.IndirectRef]types.Dict{}, map[types.IndirectRef]string{}, map[int]float64{}
	edited, err := x.edited(ctx, fixes)
	if err != nil {
		return nil, log, unfit(err)
	}
	for _, fix := range fixes {
		changes := edited[fix]
		apply := map[report.Fix]func() ([]report.ObjectChange, error){
			report.FixIntent: x.intents, report.FixLayers: x.layers, report.FixScale: x.scale, report.FixTrim: x.trim, report.FixBleed: x.bleed, report.FixStretch: x.stretch,
			report.FixAnnotations: x.annotations, report.FixActions: x.actions, report.FixAttachments: x.attachments,
		}[fix]
		if apply != nil {
			made, err := apply()
			if err != nil {
				return nil, log, unfit(err)
			}
			changes = append(changes, made...)
		}
		if n := len(changes); n > 0 {
			log.Applied = append(log.Applied, report.AppliedFix{Fix: fix, Changes: changes[:min(n, report.MaxChanges)], Omitted: max(n-report.MaxChanges, 0)})
		}
	}
	if len(log.Applied) == 0 {
		return nil, log, nil
	}
	for _, ref := range x.order {
		x.update.replace(ref, x.file.Generation(ref), x.edits[ref])
	}
	made, err := x.update.close()
	fixed := joined{file: x.source.File, size: x.source.Size, update: made}
	if err == nil && fixed.length() > x.opts.Limits.FileBytes {
		err = report.RefusedTooLarge
	}
	if err != nil {
		return nil, log, unfit(err)
	}
	err = x.check(ctx, fixed, log.Applied)
	log.After = x.after.File
	return made, log, err
}

// unfit returns the [impossibleError] of a file that cannot be updated.
func unfit(err error) error {
	reasons := map[report.Refusal]report.FixReason{
		report.RefusedUnreadable: report.FixUnreadable, report.RefusedEncrypted: report.FixEncrypted, report.RefusedRepaired: report.FixDamaged,
		report.RefusedStructure: report.FixStructure, report.RefusedTooLarge: report.FixTooLarge,
	}
	if refusal, ok := errors.AsType[report.Refusal](err); ok {
		return &impossibleError{Reason: reasons[refusal]}
	}
	return err
}

// edit returns the copy of a dictionary that the update will contain, for changing. It returns
// false for an object that cannot be replaced.
func (x *fixer) edit(o types.Object) (types.Dict, bool) {
	ref, ok := o.(types.IndirectRef)
	if !ok {
		return nil, false
	}
	if known, ok := x.edits[ref]; ok {
		return known, true
	}
	dict, plain := x.file.Resolve(ref).(types.Dict)
	if !plain {
		return nil, false
	}
	x.edits[ref] = maps.Clone(dict)
	x.order = append(x.order, ref)
	return x.edits[ref], true
}

// page returns the dictionary of a page for changing.
func (x *fixer) page(i int) (types.Dict, error) {
	dict, ok := x.edit(x.pages[i].Object)
	if !ok {
		return nil, report.RefusedStructure
	}
	return dict, nil
}

// check inspects the fixed file, and compares it with the file.
func (x *fixer) check(ctx context.Context, fixed joined, applied []report.AppliedFix) error {
	after := Source{File: fixed, Size: fixed.length()}
	var err error
	if x.after, err = Inspect(ctx, after.File, after.Size, x.profile, x.opts); err != nil {
		return err
	}
	made := map[report.Fix]bool{}
	for _, a := range applied {
		if found(x.after, a.Fix) {
			return &impossibleError{Fix: a.Fix, Reason: report.FixFaulty}
		}
		made[a.Fix] = true
	}
	// suspect is the fix that changes artwork most likely, and painted is set for one that writes
	// content.
	suspect, painted := applied[0].Fix, false
	for _, fix := range risky {
		if made[fix] && !painted {
			suspect, painted = fix, true
		}
	}
	compared, err := compare(ctx, x.source, after, x.opts, func(i int, page *facts.Page) scope {
		limits := scope{except: x.changed[i+1], scale: x.scales[i]}
		finished := x.pages[i].Finished()
		if made[report.FixBleed] || made[report.FixStretch] {
			within := finished // in the units of the page after
			limits.within = &within
		}
		if s := limits.scale; s != 0 {
			// The boxes of the page before, and those of its marks, have its own units.
			limits.except = scaled(limits.except, s)
			finished = scaled([]geom.Rect{finished}, 1/s)[0]
		}
		page.Trim, page.Art = &finished, nil
		return limits
	})
	if err != nil {
		return err
	}
	if painted && !compared.Complete {
		return &impossibleError{Fix: suspect, Reason: report.FixUnverified}
	}
	for i := range compared.Changed {
		if change := &compared.Changed[i]; change.Only != "" || len(change.Inks) > 0 {
			return &impossibleError{Fix: suspect, Page: change.Page, Reason: report.FixArtwork}
		}
	}
	return nil
}

// assumed returns the boxes that the order gives to a page, as if the page had no TrimBox.
func (x *fixer) assumed(page document.Page) (document.Page, bool) {
	page.Trim, page.Art, page.Bleed = nil, nil, nil
	rules.Assume(&page.Page, x.opts.Ticket)
	return page, page.Assumed
}

// risky lists the fixes that write content, those that most likely change artwork first.
var risky = []report.Fix{
	report.FixColors, report.FixScale, report.FixBleed, report.FixStretch, report.FixAnnotations, report.FixLayers, report.FixWhite, report.FixBlack, report.FixHairlines,
} // constant
