// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
)

// oneJob is a store of the job that the service works on. Other methods are not called.
type oneJob struct {
	preflightjob.Store
	record preflightjob.Job
	report []byte
	events []transaction.Event
	files  []preflightjob.File
}

// CreateJob implements [preflightjob.Store].
func (o *oneJob) CreateJob(_ context.Context, job preflightjob.Job, _ transaction.Terms, _ int) (preflightjob.Job, transaction.Outcome, error) {
	*o = oneJob{record: job}
	return job, transaction.Created, nil
}

// Job implements [preflightjob.Store].
func (o *oneJob) Job(context.Context, tenant.ID, string) (preflightjob.Job, error) {
	return o.record, nil
}

// AmendJob implements [preflightjob.Store].
func (o *oneJob) AmendJob(_ context.Context, _ string, decide func(preflightjob.Job) (preflightjob.Change, error)) (preflightjob.Job, error) {
	change, err := decide(o.record)
	if err != nil {
		return preflightjob.Job{}, err
	}
	if change.Report != nil {
		o.report = change.Report
	}
	o.record, o.events, o.files = change.Job, append(o.events, change.Events...), append(o.files, change.Files...)
	return o.record, nil
}

// noQueue is a queue that accepts every job and runs none.
type noQueue struct{ preflightjob.Dispatcher }

// Submit implements [preflightjob.Dispatcher].
func (noQueue) Submit(context.Context, string, tenant.ID, int) error { return nil }

// Cancel implements [preflightjob.Dispatcher].
func (noQueue) Cancel(context.Context, string) error { return nil }

var (
	titles     = []string{"flyer", "poster", "menu", "invitation", "leaflet", "programme"}
	longTitles = []string{"brochure", "catalogue", "booklet", "guide"}
	// failures are the codes of failed jobs, the frequent ones repeated.
	failures = []preflightjob.FailureCode{
		preflightjob.FetchStatus, preflightjob.FetchStatus, preflightjob.FetchStatus, preflightjob.FetchTimeout, preflightjob.FetchTimeout,
		preflightjob.FetchFailed, preflightjob.FetchRefused, preflightjob.FileTooLarge, preflightjob.TimeLimit, preflightjob.MemoryLimit,
	}
)

// picturedJobs is the number of the newest jobs that get pictures of their pages: a picture for each of a
// million jobs would fill a disk.
const picturedJobs = 100

// makeJobs generates jobs that have ended: workers would fetch the files of open ones, which do not
// exist.
func (g *generator) makeJobs(ctx context.Context) error {
	for _, at := range g.moments(g.Jobs) {
		p := g.anyPartner(func(p *partner) bool { return p.preflight })
		owner := p.owner(g.mode(p))
		if err := g.makeJob(ctx, owner, at); err != nil {
			return err
		}
		for _, file := range g.job.files {
			if err := g.target.AddFile(ctx, file, picturedJobs*pageimage.MaxBytes); err != nil {
				return err
			}
		}
		g.records.Jobs = append(g.records.Jobs, g.job.record)
		if g.job.report != nil {
			g.records.Reports[g.job.record.ID] = g.job.report
		}
		g.filled.Jobs++
		g.use(owner, transaction.SubmitPreflight, at)
		if err := g.logJob(owner, at); err != nil {
			return err
		}
		if err := g.keep(ctx, owner, g.job.events); err != nil {
			return err
		}
	}
	return nil
}

// makeJob submits a job and runs it.
func (g *generator) makeJob(ctx context.Context, owner tenant.ID, at time.Time) error {
	sample := one(g, g.samples)
	if g.chance(0.5) { // most files are good, and the first profile is the usual one
		sample = g.samples[0]
	}
	title := one(g, titles)
	if sample.pages > 1 {
		title = one(g, longTitles)
	}
	request := preflightjob.Request{
		FileURL: fmt.Sprintf("https://files.%s.example/print/%s-%06d.pdf", owner.Organization[len("org_"):], title, g.draw.IntN(1_000_000)), Profile: sample.profile,
	}
	if g.chance(0.6) {
		request.ClientReference = fmt.Sprintf("JOB-%d", 100_000+g.draw.IntN(900_000))
	}
	g.clock = at
	submitted, err := g.jobs.Submit(ctx, owner, request, MaxRecords)
	if err != nil {
		return err
	}
	id := submitted.Job.ID
	if g.chance(0.01) {
		g.clock = g.clock.Add(g.between(time.Second, 5*time.Second))
		_, err := g.jobs.Cancel(ctx, owner, id)
		return err
	}
	const worker = "demo-worker"
	g.clock = g.clock.Add(g.between(50*time.Millisecond, 4*time.Second))
	if _, err := g.jobs.Begin(ctx, id, 1, worker); err != nil {
		return err
	}
	g.clock = g.clock.Add(g.between(300*time.Millisecond, 6*time.Second))
	if g.clock.After(g.Now) {
		g.clock = g.Now
	}
	result := preflightjob.Result{Report: sample.report, Verdict: sample.verdict}
	if g.chance(0.03) {
		result = preflightjob.Result{Failure: one(g, failures)}
		if result.Failure == preflightjob.FetchStatus {
			result.UpstreamStatus = 404
		}
	} else if err := g.jobs.Progress(ctx, id, 1, worker, preflightjob.Progress{PagesDone: sample.pages, PagesTotal: sample.pages}); err != nil {
		return err
	}
	if len(result.Report) > 0 && g.Jobs-g.filled.Jobs <= picturedJobs && sample.pictures != nil {
		file, err := g.files.Keep(ctx, owner, preflightjob.PictureFile, bytes.NewReader(sample.pictures), int64(len(sample.pictures)))
		if err != nil {
			return err
		}
		result.Pictures = &preflightjob.Pictures{File: file, Pages: sample.pages}
	}
	_, err = g.jobs.Finish(ctx, id, 1, worker, result)
	return err
}
