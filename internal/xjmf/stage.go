// SPDX-License-Identifier: Apache-2.0

package xjmf

// Stage is where an order is in the marketplace's own workflow. It is nobody's
// business outside: what leaves the platform is what [Stage.External] says, and
// there is no way from a status back to a stage, because a status that a
// partner sends is about the partner's device and not about our workflow.
type Stage struct{ stage uint8 }

// The stages, in the order of a workflow.
const (
	stageReceived = iota + 1
	stageFilesMissing
	stagePreflight
	stageApproval
	stageScheduled
	stagePrepress
	stagePress
	stagePostpress
	stageInspection
	stagePacking
	stageOnHold
	stageDelivered
	stageCancelled
	stageFailed
)

// stages is the whole of the mapping. The word is ours and is never sent.
var stages = [...]struct {
	word    string
	status  uint8
	details string
}{
	stageReceived:     {"received", waiting, "JobIncoming"},
	stageFilesMissing: {"files missing", waiting, "JobUserInputRequired"},
	stagePreflight:    {"preflight", waiting, "JobScheduling"},
	stageApproval:     {"awaiting approval", stopped, "WaitForApproval"},
	stageScheduled:    {"scheduled", waiting, "QueuedToRun"},
	stagePrepress:     {"prepress", inProgress, "Processing"},
	stagePress:        {"on press", inProgress, "Good"},
	stagePostpress:    {"postpress", inProgress, "Good"},
	stageInspection:   {"inspection", inProgress, "Running"},
	stagePacking:      {"packing", inProgress, "Running"},
	stageOnHold:       {"on hold", suspended, "JobSuspended"},
	stageDelivered:    {"delivered", completed, "JobCompletedSuccessfully"},
	stageCancelled:    {"cancelled", aborted, "JobCanceledByUser"},
	stageFailed:       {"failed", aborted, "AbortedBySystem"},
}

// Stages lists the stages in the order of a workflow.
func Stages() []Stage {
	all := make([]Stage, 0, len(stages)-1)
	for i := 1; i < len(stages); i++ {
		all = append(all, Stage{uint8(i)})
	}
	return all
}

// String is our word for the stage; empty for the zero Stage. It is for our
// own logs.
func (s Stage) String() string { return stages[s.stage].word }

// External is what a partner may see of the stage: a status and its details.
// The zero Stage has none.
func (s Stage) External() (NodeStatus, string) {
	row := stages[s.stage]
	return NodeStatus{row.status}, row.details
}
