// SPDX-License-Identifier: Apache-2.0

package xjmf

// Stage is the position of an order in the marketplace's own workflow. Stages are internal:
// partners see only the status of [Stage.External]. A status never converts to a Stage,
// because a partner's status describes the partner's device and not our workflow.
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

// stages maps each stage to its internal word, which is never sent, and to its status.
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

// String returns our word for the stage, for our own logs. It is empty for the zero Stage.
func (s Stage) String() string { return stages[s.stage].word }

// External returns the status and the details that a partner may see. The zero Stage has
// neither.
func (s Stage) External() (NodeStatus, string) {
	row := stages[s.stage]
	return NodeStatus{row.status}, row.details
}
