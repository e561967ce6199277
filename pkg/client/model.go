// SPDX-License-Identifier: Apache-2.0

package client

import (
	"github.com/printmarket/printmarket/pkg/client/partnerapi"
	"github.com/printmarket/printmarket/pkg/client/preflightapi"
	"github.com/printmarket/printmarket/pkg/client/xjdfapi"
)

// The records of the API, as its contracts define them. Amounts of money are decimal
// texts, because a float64 cannot represent them.
type (
	// Account is the effective access of a key of your organization.
	Account = partnerapi.Account
	// AccountCapability is the access of a key to one capability.
	AccountCapability = partnerapi.AccountCapability
	// Product is a product that an RFQ can request.
	Product = partnerapi.CatalogProduct
	// RFQ is a request for quotation.
	RFQ = partnerapi.RFQ
	// RFQCreate is the body of a create.
	RFQCreate = partnerapi.RFQCreate
	// RFQCreated is the response to a create.
	RFQCreated = partnerapi.RFQCreated
	// Quote is a supplier's offer on an RFQ.
	Quote = partnerapi.Quote
	// Money is a decimal amount with its currency (ISO 4217).
	Money = partnerapi.Money
	// PriceBreak is the unit price from a quantity.
	PriceBreak = partnerapi.PriceBreak
	// Supplier is the author of a quote.
	Supplier = partnerapi.Supplier
	// Delivery is the place and the terms of delivery of a quote.
	Delivery = partnerapi.Delivery

	// PreflightSubmit is the body of a submission.
	PreflightSubmit = preflightapi.PreflightSubmit
	// PreflightJob is the inspection of one file.
	PreflightJob = preflightapi.PreflightJob
	// PreflightReport is the result of an inspection.
	PreflightReport = preflightapi.PreflightReport
	// Finding is one fault or remark of an inspection.
	Finding = preflightapi.Finding
	// Intent is the order that a file is compared with.
	Intent = preflightapi.Intent
	// TrimSize is the finished size of a page.
	TrimSize = preflightapi.TrimSize
	// IntentColors are the ordered inks.
	IntentColors = preflightapi.IntentColors
	// ProfileSummary is an inspection profile in the list of all.
	ProfileSummary = preflightapi.ProfileSummary
	// PreflightProfile is an inspection profile with its thresholds.
	PreflightProfile = preflightapi.PreflightProfile
	// PreflightRule is a rule that a finding can name.
	PreflightRule = preflightapi.PreflightRule
	// Failure is the reason why a job failed.
	Failure = preflightapi.Failure

	// XJDFLayer describes the layer for XJDF, PrintTalk and XJMF.
	XJDFLayer = xjdfapi.Discovery
	// XJDFCapabilities lists the supported products, media and finishing.
	XJDFCapabilities = xjdfapi.XJDFCapabilities
	// XJDFReport is the result of validating an XJDF document.
	XJDFReport = xjdfapi.XJDFReport
	// XJDFFinding is one finding in a document.
	XJDFFinding = xjdfapi.XJDFFinding
	// Session is a session of your organization. Its token is a secret.
	Session = xjdfapi.Session
	// Costing is the cost of producing a document.
	Costing = xjdfapi.CostingResult
)

// Lists of values that may grow. The constants are those of this version; handle others,
// too.
type (
	// RFQStatus is the state of an RFQ.
	RFQStatus = partnerapi.RFQStatus
	// QuoteStatus is the state of a quote.
	QuoteStatus = partnerapi.QuoteStatus
	// EntitlementState is the state of your organization's access.
	EntitlementState = partnerapi.EntitlementState
	// Mode is the kind of a key.
	Mode = partnerapi.Mode
	// Posture is the availability of a capability for all partners.
	Posture = partnerapi.Posture
	// Access is the access of a key to a capability.
	Access = partnerapi.Access

	// PreflightStatus is the state of a job, not the verdict about the file.
	PreflightStatus = preflightapi.PreflightStatus
	// FailureCode is the cause of a [Failure].
	FailureCode = preflightapi.FailureCode
	// Verdict is the result for a file.
	Verdict = preflightapi.Verdict
	// InkKind is the kind of a colorant.
	InkKind = preflightapi.InkKind
	// Severity is the severity of a finding.
	Severity = preflightapi.Severity

	// XJDFProfile is the strictness of the validation of an XJDF document.
	XJDFProfile = xjdfapi.XJDFProfile
)

// States of an RFQ.
const (
	RFQStatusOpen      = partnerapi.RFQStatusOpen
	RFQStatusQuoted    = partnerapi.RFQStatusQuoted
	RFQStatusClosed    = partnerapi.RFQStatusClosed
	RFQStatusAwarded   = partnerapi.RFQStatusAwarded
	RFQStatusExpired   = partnerapi.RFQStatusExpired
	RFQStatusCancelled = partnerapi.RFQStatusCancelled
)

// States of a quote.
const (
	QuoteStatusSubmitted  = partnerapi.QuoteStatusSubmitted
	QuoteStatusSuperseded = partnerapi.QuoteStatusSuperseded
	QuoteStatusWithdrawn  = partnerapi.QuoteStatusWithdrawn
	QuoteStatusExpired    = partnerapi.QuoteStatusExpired
	QuoteStatusAccepted   = partnerapi.QuoteStatusAccepted
	QuoteStatusDeclined   = partnerapi.QuoteStatusDeclined
)

// States of your organization's access, the kinds of keys, postures of capabilities,
// and the access of a key to a capability.
const (
	EntitlementStateActive               = partnerapi.EntitlementStateActive
	EntitlementStateSuspended            = partnerapi.EntitlementStateSuspended
	EntitlementStateContractNotEffective = partnerapi.EntitlementStateContractNotEffective

	ModeTest = partnerapi.ModeTest
	ModeLive = partnerapi.ModeLive

	PostureDisabled    = partnerapi.PostureDisabled
	PostureSandbox     = partnerapi.PostureSandbox
	PosturePrivateBeta = partnerapi.PosturePrivateBeta
	PostureLive        = partnerapi.PostureLive

	AccessFull = partnerapi.AccessFull
	AccessRead = partnerapi.AccessRead
	AccessNone = partnerapi.AccessNone
)

// States of a preflight job.
const (
	PreflightStatusQueued     = preflightapi.PreflightStatusQueued
	PreflightStatusProcessing = preflightapi.PreflightStatusProcessing
	PreflightStatusSucceeded  = preflightapi.PreflightStatusSucceeded
	PreflightStatusFailed     = preflightapi.PreflightStatusFailed
	PreflightStatusCancelled  = preflightapi.PreflightStatusCancelled
)

// Verdicts, severities of findings, and kinds of ink.
const (
	VerdictPass = preflightapi.VerdictPass
	VerdictWarn = preflightapi.VerdictWarn
	VerdictFail = preflightapi.VerdictFail

	SeverityError   = preflightapi.SeverityError
	SeverityWarning = preflightapi.SeverityWarning
	SeverityInfo    = preflightapi.SeverityInfo

	InkKindProcess      = preflightapi.InkKindProcess
	InkKindSpot         = preflightapi.InkKindSpot
	InkKindRegistration = preflightapi.InkKindRegistration
)

// Reasons why a job failed.
const (
	FailureCodeFetchRefused      = preflightapi.FailureCodeFetchRefused
	FailureCodeFetchTimeout      = preflightapi.FailureCodeFetchTimeout
	FailureCodeFetchStatus       = preflightapi.FailureCodeFetchStatus
	FailureCodeFetchFailed       = preflightapi.FailureCodeFetchFailed
	FailureCodeFileTooLarge      = preflightapi.FailureCodeFileTooLarge
	FailureCodeTimeLimit         = preflightapi.FailureCodeTimeLimit
	FailureCodeMemoryLimit       = preflightapi.FailureCodeMemoryLimit
	FailureCodeOutputLimit       = preflightapi.FailureCodeOutputLimit
	FailureCodeEngineCrash       = preflightapi.FailureCodeEngineCrash
	FailureCodeAttemptsExhausted = preflightapi.FailureCodeAttemptsExhausted
)

// Profiles of XJDF validation. The first is the default.
const (
	XJDFProfileProductIntent = xjdfapi.XJDFProfileProductIntent
	XJDFProfileStrict        = xjdfapi.XJDFProfileStrict
)
