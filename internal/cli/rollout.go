// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/edit"
	"github.com/printmarket/printmarket/internal/posture/explain"
)

func rolloutCommand() *cobra.Command {
	var change v1alpha1.Change
	var to, reason, only string
	changeFlags := func(f *pflag.FlagSet) {
		f.StringVar(&change.Ticket, "ticket", "", "change request for the stage (required)")
		f.StringVar(&change.ApprovedBy, "approved-by", "", "person who approved the change")
	}
	return group("rollout", "Show, promote, hold, abort, kill and release the rollout of a capability", `Show and change the rollout of a capability: in the cluster, or in a directory of
manifests with --from. Each command prints the fields that it changes. In the cluster, it
then waits until every replica enforces the change, and fails if there is no proof of that
within --timeout; the change remains.`,
		rolloutStatusCommand(),
		editCommand{
			use: "promote CAPABILITY", short: "Raise the stage to the next one",
			long: `Raise the stage to the next one: Disabled, Sandbox, PrivateBeta, Live. PrivateBeta needs an
audience in the rollout. An existing schedule applies to the new stage.`,
			example: "  printmarket rollout promote rfq-create --ticket REL-42 --approved-by erin --dry-run",
			flags:   changeFlags, required: []string{"ticket"},
			id: edit.Rollout, patch: func() edit.Patch { return edit.Promote(change) }, complete: capabilityNames,
		}.command(),
		editCommand{
			use: "abort CAPABILITY", short: "Lower the stage, and remove the ramp",
			long: `Lower the stage to the one below, or to --to, and remove the ramp of the schedule. A rollout
without an audience skips PrivateBeta. To close
a capability for all keys at once, use printmarket rollout kill, which needs no change request.`,
			example: "  printmarket rollout abort rfq-create --ticket REL-43 --to Sandbox",
			flags: func(f *pflag.FlagSet) {
				changeFlags(f)
				chooseAny(f, &to, "to", "stage to lower to: Disabled, Sandbox or PrivateBeta (default: the stage below that the audience allows)",
					string(v1alpha1.StageDisabled), string(v1alpha1.StageSandbox), string(v1alpha1.StagePrivateBeta))
			},
			required: []string{"ticket"},
			id:       edit.Rollout, patch: func() edit.Patch { return edit.Abort(v1alpha1.Stage(to), change) }, complete: capabilityNames,
		}.command(),
		editCommand{
			use: "hold CAPABILITY", short: "Hold the schedule: what is open stays open, nothing more opens",
			example: `  printmarket rollout hold rfq-create --reason "INC-7: quotes arrive late"`,
			flags:   func(f *pflag.FlagSet) { registerStateReason(f, &reason) }, required: []string{"reason"},
			id: edit.Rollout, patch: func() edit.Patch { return edit.HoldSchedule(reason, time.Now()) }, complete: capabilityNames,
		}.command(),
		editCommand{
			use: "kill CAPABILITY", short: "Engage the kill switch, which closes the capability for all keys",
			example: `  printmarket rollout kill rfq-create --reason "INC-7: wrong prices"`,
			flags:   func(f *pflag.FlagSet) { registerStateReason(f, &reason) }, required: []string{"reason"},
			id: edit.Rollout, patch: func() edit.Patch { return edit.Kill(reason) }, complete: capabilityNames,
		}.command(),
		editCommand{
			use: "release CAPABILITY", short: "Release the kill switch, or end the hold",
			flags: func(f *pflag.FlagSet) {
				chooseAny(f, &only, "only", "kill-switch or hold; required if both are in force", string(edit.ReleaseKillSwitch), string(edit.ReleaseHold))
			},
			id: edit.Rollout, patch: func() edit.Patch { return edit.Release(edit.Released(only)) }, complete: capabilityNames,
		}.command())
}

// registerStateReason adds the reason of a change that the object keeps.
func registerStateReason(f *pflag.FlagSet, reason *string) {
	f.StringVar(reason, "reason", "", "reason for the change, at most 256 characters, for the people on call; the object and its history keep it (required)")
}

// rolloutStatus is the JSON output of the status of a rollout. History is that of the cluster.
type rolloutStatus struct {
	explain.Rollout
	History []v1alpha1.HistoryEntry `json:"history,omitempty"`
}

func rolloutStatusCommand() *cobra.Command {
	var o postureOptions
	cmd := command[rolloutStatus]{
		use: "status CAPABILITY", short: "Show what a rollout admits now, what changes next, and its history", args: cobra.ExactArgs(1),
		flags: o.register, print: printRollout,
	}.local(func(cmd *cobra.Command, args []string) (found rolloutStatus, err error) {
		reading, err := o.read(cmd)
		if err != nil {
			return found, err
		}
		rollouts, _ := explain.Rollouts(posture.Compile(reading.Inputs), o.now())
		i := slices.IndexFunc(rollouts, func(r explain.Rollout) bool { return r.Name == args[0] })
		if i < 0 {
			return found, fmt.Errorf("CapabilityRollout %q does not exist, so the capability is closed", args[0])
		}
		if found.Rollout = rollouts[i]; o.from != "" {
			return found, nil
		}
		store, err := (&editOptions{Cluster: o.Cluster}).open()
		if err != nil {
			return found, err
		}
		object, err := store.Get(cmd.Context(), edit.Rollout(args[0]))
		if err != nil {
			return found, err
		}
		var stored v1alpha1.CapabilityRollout
		err = object.Decode(&stored)
		found.History = stored.Status.History
		found.AddProof(&stored)
		return found, err
	})
	cmd.ValidArgsFunction = completionOf(capabilityNames)
	return cmd
}

func printRollout(w io.Writer, r rolloutStatus) {
	next := "-"
	if r.NextTransition != nil {
		next = r.NextTransition.UTC().Format(time.RFC3339)
	}
	ticket := r.Ticket
	if r.ApprovedBy != "" {
		ticket += ", approved by " + r.ApprovedBy
	}
	details(w, "CAPABILITY", r.Name, "STAGE", r.Stage, "EFFECTIVE", r.EffectiveStage, "COHORT", r.Cohort, "TICKET", ticket, "NEXT CHANGE", next)
	for _, c := range r.Conditions {
		details(w, strings.ToUpper(c.Type), fmt.Sprintf("%s, %s: %s", c.Status, c.Reason, c.Message))
	}
	if len(r.History) == 0 {
		return
	}
	line(w)
	line(w, "TIME", "CHANGE", "FROM", "TO", "BY", "TICKET", "REASON")
	for _, h := range r.History {
		by := h.By
		if h.User != "" {
			by = h.User
		}
		line(w, h.Time.UTC().Format(time.RFC3339), strings.TrimSpace(string(h.Change)+" "+h.Subject), h.From, h.To, by, h.Ticket, h.Reason)
	}
}
