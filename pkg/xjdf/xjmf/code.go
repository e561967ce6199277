// SPDX-License-Identifier: Apache-2.0

package xjmf

import "strconv"

// ReturnCode is the result of a message in its response (A.4.2). It is an error, for use
// with errors.Is(err, xjmf.QueueClosed). A device may use codes of its own above 1000.
type ReturnCode int

// The return codes of XJDF 2.2.
const (
	Success                   ReturnCode = 0
	GeneralError              ReturnCode = 1
	InternalError             ReturnCode = 2
	ParserError               ReturnCode = 3
	ValidationError           ReturnCode = 4
	NotImplemented            ReturnCode = 5
	InvalidParameters         ReturnCode = 6
	InsufficientParameters    ReturnCode = 7
	DeviceNotAvailable        ReturnCode = 8
	MessageIncomplete         ReturnCode = 9
	ServiceBusy               ReturnCode = 10
	DeviceNotRunning          ReturnCode = 100
	DeviceIncapable           ReturnCode = 101
	NoExecutableJob           ReturnCode = 102
	UnknownJobID              ReturnCode = 103
	UnknownJobPartID          ReturnCode = 104
	UnknownQueueEntry         ReturnCode = 105
	AlreadyExecuting          ReturnCode = 106
	LateChangeRefused         ReturnCode = 107
	SelectionEmpty            ReturnCode = 108
	SelectionIncomplete       ReturnCode = 109
	CompletionTimeUnavailable ReturnCode = 110
	SubscriptionDenied        ReturnCode = 111
	QueueClosed               ReturnCode = 112
	AlreadyInStatus           ReturnCode = 113
	AlreadyEnded              ReturnCode = 114
	NotRunning                ReturnCode = 115
	QueueEntryExists          ReturnCode = 116
	URLInaccessible           ReturnCode = 120
	UnknownDeviceID           ReturnCode = 121
	GangingNotSupported       ReturnCode = 130
	UnknownGangName           ReturnCode = 131
	InvalidResource           ReturnCode = 200
	InsufficientResource      ReturnCode = 201
	UnknownPipe               ReturnCode = 202
	AuthenticationDenied      ReturnCode = 300
	SecureChannelUnsupported  ReturnCode = 301
	SecureChannelRequired     ReturnCode = 302
	CertificateExpired        ReturnCode = 303
	AuthenticationPending     ReturnCode = 304
	AuthenticationEstablished ReturnCode = 305
	NoAuthentication          ReturnCode = 306
	CertificateInvalid        ReturnCode = 307
)

var codeTexts = map[ReturnCode]string{
	Success: "success", GeneralError: "general error", InternalError: "internal error", ParserError: "the message cannot be parsed",
	ValidationError: "the message is invalid", NotImplemented: "the message is not implemented", InvalidParameters: "invalid parameters",
	InsufficientParameters: "insufficient parameters", DeviceNotAvailable: "the device is not available", MessageIncomplete: "the message is incomplete",
	ServiceBusy: "the message service is busy", DeviceNotRunning: "the device is not running", DeviceIncapable: "the device cannot fulfil the request",
	NoExecutableJob: "the job has no executable process", UnknownJobID: "unknown JobID", UnknownJobPartID: "unknown JobPartID",
	UnknownQueueEntry: "the queue has no such entry", AlreadyExecuting: "the queue entry is already executing",
	LateChangeRefused: "the queue entry is already executing and accepts no change", SelectionEmpty: "the selection is empty",
	SelectionIncomplete: "the selection is incomplete", CompletionTimeUnavailable: "the requested completion time cannot be met",
	SubscriptionDenied: "the subscription is denied", QueueClosed: "the queue is closed", AlreadyInStatus: "the queue entry already has the status",
	AlreadyEnded: "the queue entry is completed or aborted", NotRunning: "the queue entry is not running", QueueEntryExists: "the queue entry exists",
	URLInaccessible: "the URL is not accessible", UnknownDeviceID: "unknown DeviceID", GangingNotSupported: "gangs are not supported",
	UnknownGangName: "unknown gang", InvalidResource: "invalid resource parameters", InsufficientResource: "insufficient resource parameters",
	UnknownPipe: "unknown pipe", AuthenticationDenied: "authentication is denied", SecureChannelUnsupported: "secure channels are not supported",
	SecureChannelRequired: "a secure channel is required", CertificateExpired: "the certificate has expired",
	AuthenticationPending: "authentication is pending", AuthenticationEstablished: "authentication is already established",
	NoAuthentication: "no authentication is in process", CertificateInvalid: "the certificate is invalid",
} // constant

// Standard reports whether the code is one of XJDF 2.2.
func (c ReturnCode) Standard() bool { return codeTexts[c] != "" }

// String returns the meaning of the code.
func (c ReturnCode) String() string {
	if text := codeTexts[c]; text != "" {
		return text
	}
	return "return code " + strconv.Itoa(int(c))
}

// Error returns the meaning of the code.
func (c ReturnCode) Error() string { return c.String() }
