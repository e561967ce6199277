// SPDX-License-Identifier: Apache-2.0

package xjmf

import (
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Status is the progress of a job: of a queue entry or a phase (A.2.45).
type Status string

// The statuses of a job.
const (
	Waiting    Status = "Waiting"
	Setup      Status = "Setup"
	InProgress Status = "InProgress"
	Suspended  Status = "Suspended"
	Stopped    Status = "Stopped"
	Cleanup    Status = "Cleanup"
	Completed  Status = "Completed"
	Aborted    Status = "Aborted"
)

// Ended reports whether the status is final.
func (s Status) Ended() bool { return s == Completed || s == Aborted }

// DeviceStatus is the activity of a device (A.2.14).
type DeviceStatus string

// The statuses of a device.
const (
	DeviceIdle          DeviceStatus = "Idle"
	DeviceSetup         DeviceStatus = "Setup"
	DeviceProduction    DeviceStatus = "Production"
	DeviceCleanup       DeviceStatus = "Cleanup"
	DeviceStopped       DeviceStatus = "Stopped"
	DeviceNonProductive DeviceStatus = "NonProductive"
	DeviceOffline       DeviceStatus = "Offline"
)

// Activation states whether a queue entry may be executed (A.2.2).
type Activation string

// The activations.
const (
	Active        Activation = "Active"
	Held          Activation = "Held"
	Informative   Activation = "Informative"
	PendingReturn Activation = "PendingReturn"
	Removed       Activation = "Removed"
)

// GangPolicy states whether an entry joins a gang (A.2.22).
type GangPolicy string

// The gang policies.
const (
	Gang         GangPolicy = "Gang"
	GangAndForce GangPolicy = "GangAndForce"
	NoGang       GangPolicy = "NoGang"
)

// QueueSubmissionParams describes a submission (7.20.1). At most one of Priority,
// NextQueueEntryID and PrevQueueEntryID may be set.
type QueueSubmissionParams struct {
	Activation                         Activation
	GangName                           string
	GangPolicy                         GangPolicy
	NextQueueEntryID, PrevQueueEntryID string
	// Priority is from 0 to 100.
	Priority *int64
	// ReturnJMF receives the CommandReturnQueueEntry when the job has ended.
	ReturnJMF string
	// URL is the place of the XJDF: an absolute URL, or a name in the package of the message.
	URL string
}

// QueueEntry is a job in the queue of a device (8.35).
type QueueEntry struct {
	QueueEntryID       string
	Status             Status
	StatusDetails      string
	Activation         Activation
	JobID, JobPartID   string
	GangName           string
	GangPolicy         GangPolicy
	Priority           *int64
	SubmissionTime     time.Time
	StartTime, EndTime time.Time
	GangSource         []GangSource
	RelatedJobID       string
	RelatedJobPartID   string
}

// GangSource is a job that a gang consists of (8.22).
type GangSource struct {
	BinderySignatureID string
	Copies             int64
	JobID              string
}

// Queue is the queue of a device (7.12.4).
type Queue struct {
	MaxQueueSize, QueueSize *int64
	QueueEntry              []QueueEntry
}

// QueueStatusParams selects what a QueryQueueStatus returns.
type QueueStatusParams struct{ QueueFilter *QueueFilter }

// QueueFilter selects queue entries (8.36). An entry must match every item that is set.
type QueueFilter struct {
	QueueEntryIDs    []string
	JobID, JobPartID string
	GangNames        []string
	StatusList       []Status
	MaxEntries       *int64
}

// Operation is a change of queue entries (7.9.1).
type Operation string

// The operations.
const (
	OperationAbort    Operation = "Abort"
	OperationComplete Operation = "Complete"
	OperationHold     Operation = "Hold"
	OperationMove     Operation = "Move"
	OperationRemove   Operation = "Remove"
	OperationResume   Operation = "Resume"
	OperationSetGang  Operation = "SetGang"
	OperationSuspend  Operation = "Suspend"
)

// ModifyQueueEntryParams is a change and the entries that it applies to.
type ModifyQueueEntryParams struct {
	Operation                          Operation
	GangName                           string
	NextQueueEntryID, PrevQueueEntryID string
	Position, Priority                 *int64
	QueueFilter                        QueueFilter
}

// ReturnQueueEntryParams is a returned job: its entry, and the place of its XJDF.
type ReturnQueueEntryParams struct{ QueueEntryID, URL string }

// UpdateMethod states how new content changes the content that a device has (7.14.2, 7.15.1).
type UpdateMethod string

// The update methods. A job has neither UpdateCompleteSet nor UpdateRemoveSet.
const (
	UpdateComplete    UpdateMethod = "Complete"
	UpdateCompleteSet UpdateMethod = "CompleteSet"
	UpdateIncremental UpdateMethod = "Incremental"
	UpdateRemove      UpdateMethod = "Remove"
	UpdateRemoveSet   UpdateMethod = "RemoveSet"
)

// ResubmissionParams is a changed job (7.15.1).
type ResubmissionParams struct {
	QueueEntryID string
	UpdateMethod UpdateMethod
	// URL is the place of the XJDF, as in [QueueSubmissionParams].
	URL string
}

// RequestQueueEntryParams is a request for a job; without a JobID, for any (7.13.1).
type RequestQueueEntryParams struct {
	Activation       Activation
	JobID, JobPartID string
	// QueueURL receives the CommandSubmitQueueEntry.
	QueueURL string
	Part     []*xjdf.Node
}

// StatusQuParams selects jobs. A query with a subscription must not set JobID, JobPartID
// and QueueEntryID (7.18.1).
type StatusQuParams struct {
	JobID, JobPartID, QueueEntryID string
	Types                          []string
}

// DeviceInfo is the state of a device and of its active jobs (7.18.2).
type DeviceInfo struct {
	Status                   DeviceStatus
	StatusDetails            string
	CounterUnit              string
	Speed, ProductionCounter *float64
	IdleStartTime, EndTime   time.Time
	JobPhase                 []JobPhase
}

// JobPhase is the state of a job on a device. Amounts count from StartTime.
type JobPhase struct {
	JobID, JobPartID, QueueEntryID, WorkStepID string
	Status                                     Status
	StatusDetails                              string
	Amount, Waste, TotalAmount                 *float64
	PercentCompleted                           *float64
	StartTime, EndTime                         time.Time
	GangSource                                 []GangSource
	Part                                       []*xjdf.Node
}

// Scope is the set of resources that a query is about (A.2.36).
type Scope string

// The scopes.
const (
	ScopeAllowed  Scope = "Allowed"
	ScopeDevice   Scope = "Device"
	ScopeEstimate Scope = "Estimate"
	ScopeJob      Scope = "Job"
	ScopePresent  Scope = "Present"
)

// ResourceQuParams selects resources (7.14.1).
type ResourceQuParams struct {
	Scope                          Scope
	ResourceName, ExternalID       string
	JobID, JobPartID, QueueEntryID string
}

// ResourceInfo is a set of resources on a device or of a job (7.14.3).
type ResourceInfo struct {
	JobID, JobPartID, QueueEntryID string
	Scope                          Scope
	// CommandResult is New, Replaced, Merged, Removed or Rejected, after a command.
	CommandResult string
	Level         string
	// ResourceSet holds the resources as XJDF has them.
	ResourceSet *xjdf.Node
}

// ResourceCmdParams is a change of resources (7.14.2).
type ResourceCmdParams struct {
	UpdateMethod UpdateMethod
	// ResourceSet holds the resources as XJDF has them.
	ResourceSet *xjdf.Node
}

// DeviceFilter selects details of devices: Brief, Modules or Full.
type DeviceFilter struct{ DeviceDetails string }

// Device describes a device (6.28).
type Device struct {
	DeviceID, DescriptiveName              string
	DeviceClass                            []string
	DeviceType, Manufacturer, SerialNumber string
	ICSVersions, JDFVersions               []string
	URLSchemes                             []string
	// XJMFURL accepts the messages for the device.
	XJMFURL string
	Module  []*xjdf.Node
}

// ShutDownType is the extent of a shutdown (7.17.1). A device in standby accepts
// CommandWakeUp.
type ShutDownType string

// The extents of a shutdown.
const (
	StandBy      ShutDownType = "StandBy"
	FullShutDown ShutDownType = "Full"
)

// ShutDownCmdParams is the extent of a shutdown.
type ShutDownCmdParams struct{ ShutDownType ShutDownType }

// PipeOperation is a request about a pipe (7.11.1).
type PipeOperation string

// The operations of a pipe: Pull requests resources, Push offers them.
const (
	PipeClose PipeOperation = "Close"
	PipePause PipeOperation = "Pause"
	PipePull  PipeOperation = "Pull"
	PipePush  PipeOperation = "Push"
)

// PipeParams is a request about a pipe.
type PipeParams struct {
	JobID, JobPartID string
	Operation        PipeOperation
	PipeID           string
	ResourceSet      *xjdf.Node
}

// GangCmdFilter selects gangs to be started; without names these are all.
type GangCmdFilter struct {
	GangNames []string
	// Policy is "All" or "Optimized".
	Policy string
}

// GangQuFilter selects gangs; without names these are all.
type GangQuFilter struct{ GangNames []string }

// GangInfo is a gang and the quantity of its waiting entries (7.5.2).
type GangInfo struct {
	GangName string
	Amount   *float64
}

// MessageService is a message that a device supports (7.7.2).
type MessageService struct {
	Type string
	// ResponseModes are Response and channel modes, for a query.
	ResponseModes []string
	URLSchemes    []string
}

// SubscriptionFilter selects subscriptions of a device or of a receiver.
type SubscriptionFilter struct{ DeviceID, URL string }

// SubscriptionInfo is an active subscription (8.46).
type SubscriptionInfo struct {
	// ChannelID is the Header/@ID of the query.
	ChannelID, DeviceID string
	// MessageType is the name of the signals, such as SignalStatus.
	MessageType  string
	Subscription Subscription
}

// StopPersChParams selects subscriptions to be ended; without filters these are all.
type StopPersChParams struct{ ChannelID, MessageType, URL string }

// Notification explains an event or a return code (8.31).
type Notification struct {
	// Class is Event, Information, Warning, Error or Fatal.
	Class                          string
	JobID, JobPartID, QueueEntryID string
	Comment                        []Comment
	Event                          *Event
	Milestone                      *Milestone
}

// Comment is a human-readable text.
type Comment struct {
	Text string `xjmf:",text"`
}

// Event is a machine-readable event of a device.
type Event struct{ EventID, EventValue string }

// Milestone is progress of a job, such as PressCompleted (8.31.1).
type Milestone struct{ MilestoneType string }
