// SPDX-License-Identifier: Apache-2.0

package client

import (
	"github.com/printmarket/printmarket/pkg/client/partnerapi"
	"github.com/printmarket/printmarket/pkg/client/preflightapi"
	"github.com/printmarket/printmarket/pkg/client/xjdfapi"
)

// The records of the API, as its contracts have them. Amounts of money are
// decimal texts and stay so: a float64 cannot hold them.
type (
	Account           = partnerapi.Account
	AccountCapability = partnerapi.AccountCapability
	Product           = partnerapi.CatalogProduct
	RFQ               = partnerapi.RFQ
	RFQCreate         = partnerapi.RFQCreate
	RFQCreated        = partnerapi.RFQCreated
	Quote             = partnerapi.Quote
	Money             = partnerapi.Money
	PriceBreak        = partnerapi.PriceBreak
	Supplier          = partnerapi.Supplier
	Delivery          = partnerapi.Delivery

	PreflightSubmit = preflightapi.PreflightSubmit
	PreflightJob    = preflightapi.PreflightJob
	PreflightReport = preflightapi.PreflightReport
	Finding         = preflightapi.Finding
	Failure         = preflightapi.Failure

	XJDFLayer = xjdfapi.Discovery
)

// Lists of values that may grow. The constants are those known today; be ready
// for others.
type (
	RFQStatus        = partnerapi.RFQStatus
	QuoteStatus      = partnerapi.QuoteStatus
	EntitlementState = partnerapi.EntitlementState
	Mode             = partnerapi.Mode
	Posture          = partnerapi.Posture
	Access           = partnerapi.Access

	PreflightStatus = preflightapi.PreflightStatus
	FailureCode     = preflightapi.FailureCode
	Verdict         = preflightapi.Verdict
	Severity        = preflightapi.Severity
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

// States of your organization's access, the kinds of keys, how far a capability
// is open, and what of it is open to a key.
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

// States of a preflight job, which are about our work.
const (
	PreflightStatusQueued     = preflightapi.PreflightStatusQueued
	PreflightStatusProcessing = preflightapi.PreflightStatusProcessing
	PreflightStatusSucceeded  = preflightapi.PreflightStatusSucceeded
	PreflightStatusFailed     = preflightapi.PreflightStatusFailed
	PreflightStatusCancelled  = preflightapi.PreflightStatusCancelled
)

// What a file comes to, and how grave a finding is.
const (
	VerdictPass = preflightapi.VerdictPass
	VerdictWarn = preflightapi.VerdictWarn
	VerdictFail = preflightapi.VerdictFail

	SeverityError   = preflightapi.SeverityError
	SeverityWarning = preflightapi.SeverityWarning
	SeverityInfo    = preflightapi.SeverityInfo
)

// Why a job failed.
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
