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
	// Account is what your organization may do now, as a key has it.
	Account = partnerapi.Account
	// AccountCapability is what a key may do of one capability.
	AccountCapability = partnerapi.AccountCapability
	// Product is something that an RFQ can ask for.
	Product = partnerapi.CatalogProduct
	// RFQ is a request for quotation.
	RFQ = partnerapi.RFQ
	// RFQCreate is what an RFQ is made of.
	RFQCreate = partnerapi.RFQCreate
	// RFQCreated names an RFQ that was created.
	RFQCreated = partnerapi.RFQCreated
	// Quote is a supplier's offer on an RFQ.
	Quote = partnerapi.Quote
	// Money is a decimal amount with its currency (ISO 4217).
	Money = partnerapi.Money
	// PriceBreak is the unit price from a quantity on.
	PriceBreak = partnerapi.PriceBreak
	// Supplier is who quotes.
	Supplier = partnerapi.Supplier
	// Delivery is where and on what terms a quote delivers.
	Delivery = partnerapi.Delivery

	// PreflightSubmit is what a job is made of.
	PreflightSubmit = preflightapi.PreflightSubmit
	// PreflightJob is the inspection of one file.
	PreflightJob = preflightapi.PreflightJob
	// PreflightReport is what an inspection says about a file.
	PreflightReport = preflightapi.PreflightReport
	// Finding is one thing that an inspection found.
	Finding = preflightapi.Finding
	// Intent is what a job is meant to be.
	Intent = preflightapi.Intent
	// TrimSize is the finished size of a page.
	TrimSize = preflightapi.TrimSize
	// IntentColors are the inks that a job is to be printed with.
	IntentColors = preflightapi.IntentColors
	// ProfileSummary is an inspection profile in the list of all.
	ProfileSummary = preflightapi.ProfileSummary
	// PreflightProfile is an inspection profile with its thresholds.
	PreflightProfile = preflightapi.PreflightProfile
	// PreflightRule is a rule that a finding can name.
	PreflightRule = preflightapi.PreflightRule
	// Failure is why a job failed.
	Failure = preflightapi.Failure

	// XJDFLayer is what the layer for XJDF, PrintTalk and XJMF is.
	XJDFLayer = xjdfapi.Discovery
	// XJDFCapabilities is which products, media and finishing are taken.
	XJDFCapabilities = xjdfapi.XJDFCapabilities
	// XJDFReport is what is to be said about an XJDF document.
	XJDFReport = xjdfapi.XJDFReport
	// XJDFFinding is one thing that was found in a document.
	XJDFFinding = xjdfapi.XJDFFinding
	// Session is a session of your organization. Its token is a secret.
	Session = xjdfapi.Session
	// Costing is what a document costs to produce.
	Costing = xjdfapi.CostingResult
)

// Enumerations, which may get further values: handle a value that you do not know.
type (
	// RFQStatus is the state of an RFQ.
	RFQStatus = partnerapi.RFQStatus
	// QuoteStatus is the state of a quote.
	QuoteStatus = partnerapi.QuoteStatus
	// EntitlementState is the state of the access of your organization.
	EntitlementState = partnerapi.EntitlementState
	// Mode is the kind of a key.
	Mode = partnerapi.Mode
	// Posture is the stage at which a capability is open.
	Posture = partnerapi.Posture
	// Access is the part of a capability that a key may use.
	Access = partnerapi.Access

	// PreflightStatus is the state of a preflight job; the file may fail while the job succeeds.
	PreflightStatus = preflightapi.PreflightStatus
	// FailureCode is the cause of a [Failure].
	FailureCode = preflightapi.FailureCode
	// Verdict is the result of a preflight for a file.
	Verdict = preflightapi.Verdict
	// InkKind is the kind of a colorant.
	InkKind = preflightapi.InkKind
	// Severity is the severity of a finding.
	Severity = preflightapi.Severity

	// XJDFProfile is a set of rules for XJDF documents. The default is product_intent.
	XJDFProfile = xjdfapi.XJDFProfile
)
