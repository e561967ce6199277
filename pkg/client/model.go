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
	// RFQEvent is one change of an RFQ or of its quotes.
	RFQEvent = partnerapi.RFQEvent
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
	// UploadedFile is a file that was uploaded for inspection.
	UploadedFile = preflightapi.UploadedFile
	// PreflightJob is the inspection of one file.
	PreflightJob = preflightapi.PreflightJob
	// PreflightReport is the result of an inspection.
	PreflightReport = preflightapi.PreflightReport
	// Fixes lists the fixes of a submission by name; its only element "auto" requests all.
	Fixes = preflightapi.Fixes
	// FixSummary is the summary of a [FixLog] in a job.
	FixSummary = preflightapi.FixSummary
	// FixLog lists what fixes have changed in a file.
	FixLog = preflightapi.PreflightFixLog
	// PrintingCondition is the printing condition for the fixes of a submission.
	PrintingCondition = preflightapi.PrintingCondition
	// AnnotatedSummary refers to the annotated copy of a job.
	AnnotatedSummary = preflightapi.AnnotatedSummary
	// ComparisonSummary is the summary of a [Comparison] in a job.
	ComparisonSummary = preflightapi.ComparisonSummary
	// Comparison lists what differs between two files.
	Comparison = preflightapi.PreflightComparison
	// PagePicture describes the pictures of one page.
	PagePicture = preflightapi.PagePicture
	// Share is a link to the report of a job.
	Share = preflightapi.PreflightShare
	// Finding is one fault or remark of an inspection.
	Finding = preflightapi.Finding
	// Intent is the order that a file is compared with.
	Intent = preflightapi.Intent
	// OrderedProduct is the product that a file is for, as part of the order.
	OrderedProduct = preflightapi.OrderedProduct
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
	// XJMFState is the last status of a job that a sender reported.
	XJMFState = xjdfapi.XJMFState
	// Session is a session of your organization. Its token is a secret.
	Session = xjdfapi.Session
	// Costing is the cost of producing a document.
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
