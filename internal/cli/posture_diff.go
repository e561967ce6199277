// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/posture/explain"
)

// The exit codes of a comparison, as those of diff and of kubectl diff.
const (
	exitDiffers exitError = 1
	exitTrouble exitError = 2
)

// liveWorld names the cluster in place of a directory.
const liveWorld = "cluster"

func postureDiffCommand() *cobra.Command {
	var o postureDiffOptions
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Print what a change of manifests opens and closes",
		Long: `Print what a change opens and closes, for each partner and capability. OLD and NEW
are directories of manifests, or "cluster" for what is applied in the cluster.

Both are judged now and at each time at which either changes without an edit, so
a schedule that opens something next week is told, with the time. A request that
was answered before and is not, or the other way round, is what counts; limits
that change are told as well, and open nothing unless they were zero.

Exit codes: 0 for a comparison that was made; with --exit-code and --opens-only 1
if there is something to tell; 2 for everything that went wrong.`,
		Args: troubled(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := o.run(cmd, args[0], args[1])
			var code exitError
			if err != nil && !errors.As(err, &code) {
				return trouble(cmd, err)
			}
			return err
		},
	}
	o.registerCluster(cmd)
	f := cmd.Flags()
	chooseOutput(f, &o.output, "table", "yaml", "json")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if anything changes")
	f.BoolVar(&o.opensOnly, "opens-only", false, "print only what opens, and exit with 1 if anything does: a gate for CI")
	cmd.SetFlagErrorFunc(trouble)
	return cmd
}

// troubled gives wrong arguments the exit code of trouble.
func troubled(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return trouble(cmd, err)
		}
		return nil
	}
}

// trouble tells an error that has an exit code of its own.
func trouble(cmd *cobra.Command, err error) error {
	_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %v\n", err)
	return exitTrouble
}

type postureDiffOptions struct {
	postureOptions
	output              string
	exitCode, opensOnly bool
}

func (o *postureDiffOptions) run(cmd *cobra.Command, before, after string) error {
	var sides [2]*prober
	for i, name := range []string{before, after} {
		world, err := o.side(cmd.Context(), name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := tellUnknown(cmd.ErrOrStderr(), world); err != nil {
			return err
		}
		sides[i] = newProber(world)
	}
	found := compare(sides[0], sides[1], o.now())
	if o.opensOnly {
		found.Changes = slices.DeleteFunc(found.Changes, func(c postureChange) bool { return c.Effect != effectOpens })
	}
	if err := printOutput(cmd, o.output, found, found.table); err != nil {
		return err
	}
	if len(found.Changes) > 0 && (o.exitCode || o.opensOnly) {
		return exitDiffers
	}
	return nil
}

func (o *postureDiffOptions) side(ctx context.Context, name string) (postureWorld, error) {
	if name == liveWorld {
		return o.readCluster(ctx)
	}
	return readDirectory(ctx, name, o.now())
}

// effect is what a change does.
type effect string

const (
	effectOpens  effect = "opens"
	effectCloses effect = "closes"
	// effectAlters changes neither: another reason, another limit.
	effectAlters effect = "alters"
)

// postureChange is one line of a comparison.
type postureChange struct {
	Effect  effect `json:"effect"`
	Partner string `json:"partner"`
	// Subject is a capability, or what else changes, such as "key live-2".
	Subject string `json:"subject"`
	// Keys and Access tell which requests: of which kinds of keys, reads or
	// writes; empty where that makes no difference.
	Keys   []string `json:"keys,omitempty"`
	Access []string `json:"access,omitempty"`
	Old    string   `json:"old"`
	New    string   `json:"new"`
	// At is when; nil for at once.
	At *time.Time `json:"at,omitempty"`
}

// postureDiff is what a comparison found.
type postureDiff struct {
	Changes []postureChange `json:"changes"`
	// Until is how far was looked ahead, if not to the end.
	Until *time.Time `json:"until,omitempty"`
}

// compare asks both sides everything, now and whenever either changes.
func compare(before, after *prober, now time.Time) postureDiff {
	times, until := instants(before, after, now)
	out := postureDiff{Changes: []postureChange{}, Until: until}
	var group []postureChange // of one partner and subject
	for _, q := range questions(before, after) {
		if len(group) > 0 && (group[0].Partner != q.partner || group[0].Subject != q.subject) {
			out.Changes, group = append(out.Changes, together(group)...), nil
		}
		group = append(group, q.compare(before, after, times)...)
	}
	out.Changes = append(out.Changes, together(group)...)
	out.Changes = append(out.Changes, attributes(before, after, now)...)
	return out
}

// instants are all times at which an answer may differ from the one before.
func instants(before, after *prober, now time.Time) ([]time.Time, *time.Time) {
	var times []time.Time
	var until *time.Time
	for _, side := range []*prober{before, after} {
		own := side.Transitions(now)
		if last := own[len(own)-1]; len(own) == explain.MaxTransitions && (until == nil || last.Before(*until)) {
			until = &last
		}
		times = append(times, own...)
	}
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal), until
}

// together joins changes that say the same of different requests.
func together(group []postureChange) []postureChange {
	for merged := true; merged; {
		merged = false
		for i := 0; i < len(group); i++ {
			for j := len(group) - 1; j > i; j-- {
				if merge(&group[i], group[j]) {
					group, merged = slices.Delete(group, j, j+1), true
				}
			}
		}
	}
	return group
}

func merge(into *postureChange, c postureChange) bool {
	at := func(t *time.Time) time.Time {
		if t == nil {
			return time.Time{}
		}
		return *t
	}
	if into.Effect != c.Effect || into.Partner != c.Partner || into.Subject != c.Subject || into.Old != c.Old || into.New != c.New || !at(into.At).Equal(at(c.At)) {
		return false
	}
	// Together they must be every combination of what is listed.
	sameKeys, sameAccess := slices.Equal(into.Keys, c.Keys), slices.Equal(into.Access, c.Access)
	switch {
	case sameKeys && !sameAccess:
		into.Access = slices.Concat(into.Access, c.Access)
	case sameAccess && !sameKeys:
		into.Keys = slices.Concat(into.Keys, c.Keys)
	default:
		return false
	}
	return true
}

// whenText is when a change takes effect.
func (c *postureChange) whenText() string {
	if c.At == nil {
		return "now"
	}
	return explain.Instant(*c.At)
}

// requests are the kinds of keys and of requests that a change is about.
func (c *postureChange) requests() string {
	return dash(strings.Join(slices.DeleteFunc([]string{strings.Join(c.Keys, "+"), strings.Join(c.Access, "+")}, func(s string) bool { return s == "" }), " "))
}
