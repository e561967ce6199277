// SPDX-License-Identifier: Apache-2.0

package problem

import "net/http"

// Code is the machine-readable cause of a problem: the `code` member of every
// error that the API answers. Its form is ^[A-Z][A-Z0-9_]{2,63}$.
type Code string

// The codes of the project. Each is described in [codes]; tests compare that
// table with the published schema, the contracts and the documentation.
const (
	// Requests.
	CodeInvalidRequest         Code = "INVALID_REQUEST"
	CodeIdempotencyKeyRequired Code = "IDEMPOTENCY_KEY_REQUIRED"
	CodeIdempotencyKeyInvalid  Code = "IDEMPOTENCY_KEY_INVALID"
	CodeIdempotencyKeyReused   Code = "IDEMPOTENCY_KEY_REUSED"
	CodeIdempotencyInProgress  Code = "IDEMPOTENCY_IN_PROGRESS"
	CodeRouteNotFound          Code = "ROUTE_NOT_FOUND"
	CodeNotFound               Code = "NOT_FOUND"
	CodeGone                   Code = "GONE"
	CodeMethodNotAllowed       Code = "METHOD_NOT_ALLOWED"
	CodeNotAcceptable          Code = "NOT_ACCEPTABLE"
	CodeRequestTimeout         Code = "REQUEST_TIMEOUT"
	CodeLengthRequired         Code = "LENGTH_REQUIRED"
	CodePayloadTooLarge        Code = "PAYLOAD_TOO_LARGE"
	CodeHeadersTooLarge        Code = "HEADERS_TOO_LARGE"
	CodeUnsupportedMediaType   Code = "UNSUPPORTED_MEDIA_TYPE"
	CodeTooEarly               Code = "TOO_EARLY"

	// Authentication and permission.
	CodeMissingAPIKey         Code = "MISSING_API_KEY"
	CodeInvalidAPIKey         Code = "INVALID_API_KEY"
	CodePartnerSuspended      Code = "PARTNER_SUSPENDED"
	CodeContractNotEffective  Code = "CONTRACT_NOT_EFFECTIVE"
	CodeInsufficientScope     Code = "INSUFFICIENT_SCOPE"
	CodeCapabilityNotEntitled Code = "CAPABILITY_NOT_ENTITLED"
	// Sessions.
	CodeAuthenticationRequired    Code = "AUTHENTICATION_REQUIRED"
	CodeOrganizationScopeMismatch Code = "ORGANIZATION_SCOPE_MISMATCH"

	// Capacity.
	CodeRateLimitExceeded Code = "RATE_LIMIT_EXCEEDED"
	CodeOverloaded        Code = "OVERLOADED"

	// Posture: one code for each capability that is closed.
	CodePostureUnavailable          Code = "POSTURE_UNAVAILABLE"
	CodeEstimateUnavailable         Code = "PARTNER_ESTIMATE_CAPABILITY_UNAVAILABLE"
	CodeRFQUnavailable              Code = "PARTNER_RFQ_CAPABILITY_UNAVAILABLE"
	CodeRFQReadUnavailable          Code = "PARTNER_RFQ_READ_CAPABILITY_UNAVAILABLE"
	CodeRFQListUnavailable          Code = "PARTNER_RFQ_LIST_CAPABILITY_UNAVAILABLE"
	CodeQuoteReadUnavailable        Code = "PARTNER_QUOTE_READ_CAPABILITY_UNAVAILABLE"
	CodeQuoteAcceptanceUnavailable  Code = "PARTNER_QUOTE_ACCEPTANCE_CAPABILITY_UNAVAILABLE"
	CodeOrderUnavailable            Code = "PARTNER_ORDER_CAPABILITY_UNAVAILABLE"
	CodeBatchOrderUnavailable       Code = "PARTNER_BATCH_ORDER_CAPABILITY_UNAVAILABLE"
	CodePreflightUnavailable        Code = "PREFLIGHT_CAPABILITY_UNAVAILABLE"
	CodeXJDFUnavailable             Code = "XJDF_CAPABILITY_UNAVAILABLE"
	CodeXJDFCostingUnavailable      Code = "XJDF_COSTING_CAPABILITY_UNAVAILABLE"
	CodeXJMFUnavailable             Code = "XJMF_CAPABILITY_UNAVAILABLE"
	CodeWebhookUnavailable          Code = "WEBHOOK_CAPABILITY_UNAVAILABLE"
	CodeMasterDataBridgeUnavailable Code = "MASTER_DATA_BRIDGE_CAPABILITY_UNAVAILABLE"

	// RFQs.
	CodeRFQInvalid            Code = "PARTNER_RFQ_INVALID"
	CodeRFQQuotaExceeded      Code = "PARTNER_RFQ_QUOTA_EXCEEDED"
	CodeRFQCatalogUnavailable Code = "PARTNER_RFQ_CATALOG_CONTEXT_UNAVAILABLE"

	// Preflight.
	CodePreflightInvalid          Code = "PREFLIGHT_INVALID"
	CodePreflightQuotaExceeded    Code = "PREFLIGHT_QUOTA_EXCEEDED"
	CodePreflightBacklogExceeded  Code = "PREFLIGHT_BACKLOG_EXCEEDED"
	CodePreflightQueueUnavailable Code = "PREFLIGHT_QUEUE_UNAVAILABLE"
	CodePreflightReportNotReady   Code = "PREFLIGHT_REPORT_NOT_READY"
	CodePreflightNotCancellable   Code = "PREFLIGHT_NOT_CANCELLABLE"

	// XJDF and XJMF.
	CodeValidationError      Code = "VALIDATION_ERROR"
	CodeXJMFSignatureInvalid Code = "XJMF_SIGNATURE_INVALID"
	CodeXJMFTimestampOutside Code = "XJMF_TIMESTAMP_OUT_OF_WINDOW"
	CodeXJMFMessageIDReused  Code = "XJMF_MESSAGE_ID_REUSED"

	// Costing.
	CodeCostingAuthorityRequired    Code = "COSTING_AUTHORITY_REQUIRED"
	CodeCostingMediaRequired        Code = "XJDF_COSTING_MEDIA_AUTHORITY_REQUIRED"
	CodeCostingManualReviewRequired Code = "COSTING_MANUAL_REVIEW_REQUIRED"

	// Master data.
	CodeInvalidCategory       Code = "INVALID_CATEGORY"
	CodeMasterDataUnavailable Code = "MASTER_DATA_UNAVAILABLE"
	CodeMasterDataOverflow    Code = "MASTER_DATA_OVERFLOW"
	CodeMasterDataDuplicate   Code = "MASTER_DATA_DUPLICATE_IDENTITY"

	// Webhooks.
	CodeWebhookInvalid       Code = "WEBHOOK_INVALID"
	CodeWebhookStateConflict Code = "WEBHOOK_STATE_CONFLICT"

	// The marketplace's own side.
	CodePlatformRequestInvalid Code = "PLATFORM_REQUEST_INVALID"
	CodeRFQStateConflict       Code = "RFQ_STATE_CONFLICT"
	CodeRevisionConflict       Code = "REVISION_CONFLICT"
	CodeLiveKeyRequired        Code = "LIVE_KEY_REQUIRED"
	CodeMasterDataConflict     Code = "MASTER_DATA_STATE_CONFLICT"

	// The service itself.
	CodeStoreUnavailable Code = "STORE_UNAVAILABLE"
	CodeInternalError    Code = "INTERNAL_ERROR"
)

// Definition is one row of the code table.
type Definition struct {
	Code Code `json:"code"`
	// Slug is the problem type; empty for about:blank.
	Slug Slug `json:"slug,omitempty"`
	// Status is the HTTP status that the code is answered with.
	Status int `json:"status"`
	// Do tells the reader what to do next, in one sentence.
	Do string `json:"whatToDo"`
}

const (
	doWait    = "Wait for the number of seconds in Retry-After, then send the same request again."
	doQuota   = "Wait for the number of seconds in Retry-After (the quota window's end), or ask for a larger quota."
	doClosed  = "Do not retry: ask your partner manager when the capability opens for you, or watch Marketplace-Capability."
	doLookup  = "Check the id; records of other organizations, and of the other mode, are not found."
	doPartner = "Ask your partner manager; the request cannot succeed before the entitlement changes."
)

// codes is the one table of codes. A row's order is the order of the constants.
var codes = [...]Definition{
	{CodeInvalidRequest, InvalidRequest, 0, "Mend the request as `detail` says, then send it again."},
	{CodeIdempotencyKeyRequired, InvalidRequest, 0, "Send an Idempotency-Key header of 1 to 255 visible ASCII characters, new for each logical create."},
	{CodeIdempotencyKeyInvalid, InvalidRequest, 0, "Send one Idempotency-Key header of 1 to 255 visible ASCII characters."},
	{CodeIdempotencyKeyReused, IdempotencyConflict, 0, "Use a new Idempotency-Key for a different request; repeat the first body to get its answer again."},
	{CodeIdempotencyInProgress, Conflict, 0, doWait},
	{CodeRouteNotFound, NotFound, 0, "Check the path against the published contract in /docs/api/."},
	{CodeNotFound, NotFound, 0, doLookup},
	{CodeGone, Gone, 0, "The retention time has passed; submit the work again."},
	{CodeMethodNotAllowed, blank, http.StatusMethodNotAllowed, "Use one of the methods in the Allow header."},
	{CodeNotAcceptable, blank, http.StatusNotAcceptable, "Accept one of the media types named in `detail`."},
	{CodeRequestTimeout, blank, http.StatusRequestTimeout, "Send the whole body within the time limit; repeat with the same Idempotency-Key."},
	{CodeLengthRequired, LengthRequired, 0, "Send a Content-Length header."},
	{CodePayloadTooLarge, PayloadTooLarge, 0, "Send a smaller body; the limit is in the contract."},
	{CodeHeadersTooLarge, blank, http.StatusRequestHeaderFieldsTooLarge, "Send fewer or smaller header fields."},
	{CodeUnsupportedMediaType, UnsupportedMediaType, 0, "Send the body as one of the media types named in `detail`, without a content encoding."},
	{CodeTooEarly, TooEarly, 0, "Send the request again after the TLS handshake is complete (RFC 8470)."},

	{CodeMissingAPIKey, Unauthenticated, 0, "Send Authorization: Bearer <API_KEY>."},
	{CodeInvalidAPIKey, Unauthenticated, 0, "Check that the key is complete, not expired and not revoked; ask for a new one if in doubt."},
	{CodePartnerSuspended, Forbidden, 0, doPartner},
	{CodeContractNotEffective, Forbidden, 0, "Wait for the contract's first day, or ask your partner manager."},
	{CodeInsufficientScope, Forbidden, 0, "Use a key that has the scope named in `detail`."},
	{CodeCapabilityNotEntitled, Forbidden, 0, doPartner},
	{CodeAuthenticationRequired, Unauthenticated, 0, "Open a session with POST /api/v1/sessions and send its token as Authorization: Bearer; an API key is not taken here."},
	{CodeOrganizationScopeMismatch, Forbidden, 0, "Leave organizationId out, or send that of the session: the organization is always the session's."},

	{CodeRateLimitExceeded, RateLimited, 0, doWait},
	{CodeOverloaded, Unavailable, 0, doWait},

	{CodePostureUnavailable, Unavailable, 0, "Retry with backoff: this replica has not loaded its gates yet."},
	{CodeEstimateUnavailable, Unavailable, 0, "Do not retry: estimates are disabled for everyone; create an RFQ instead."},
	{CodeRFQUnavailable, Unavailable, 0, doClosed},
	{CodeRFQReadUnavailable, Unavailable, 0, doClosed},
	{CodeRFQListUnavailable, Unavailable, 0, doClosed},
	{CodeQuoteReadUnavailable, Unavailable, 0, doClosed},
	{CodeQuoteAcceptanceUnavailable, Unavailable, 0, "Do not retry: quote acceptance is disabled for everyone."},
	{CodeOrderUnavailable, Unavailable, 0, "Do not retry: orders are disabled for everyone; nothing was created, listed or attempted."},
	{CodeBatchOrderUnavailable, Unavailable, 0, "Do not retry: batch orders are disabled for everyone; nothing was created, listed or attempted."},
	{CodePreflightUnavailable, Unavailable, 0, doClosed},
	{CodeXJDFUnavailable, Unavailable, 0, doClosed},
	{CodeXJDFCostingUnavailable, Unavailable, 0, doClosed},
	{CodeXJMFUnavailable, Unavailable, 0, doClosed},
	{CodeWebhookUnavailable, Unavailable, 0, doClosed},
	{CodeMasterDataBridgeUnavailable, Unavailable, 0, doClosed},

	{CodeRFQInvalid, ValidationFailed, 0, "Mend the members named in `errors`; GET /api/v1/catalog/products lists the valid products with their categories."},
	{CodeRFQQuotaExceeded, RateLimited, 0, doQuota},
	{CodeRFQCatalogUnavailable, Unavailable, 0, doWait},

	{CodePreflightInvalid, ValidationFailed, 0, "Mend the members named in `errors`."},
	{CodePreflightQuotaExceeded, RateLimited, 0, doQuota},
	{CodePreflightBacklogExceeded, RateLimited, 0, "Wait until some of your queued jobs have finished; Retry-After suggests when."},
	{CodePreflightQueueUnavailable, Unavailable, 0, doWait},
	{CodePreflightReportNotReady, Conflict, 0, "Poll the job until its status is succeeded, then read the report."},
	{CodePreflightNotCancellable, Conflict, 0, "Nothing to do: the job has already ended."},

	{CodeValidationError, InvalidRequest, 0, "Mend the document as `errors` and `findings` say, with a pointer into what you sent, then send it again."},
	{CodeXJMFSignatureInvalid, Unauthenticated, 0, "Check X-XJMF-Sender, the secret and its scheme, and sign the bytes that you send; `printmarket xjmf verify` says which part differs."},
	{CodeXJMFTimestampOutside, Unauthenticated, 0, "Set your clock by NTP and sign each attempt anew, with the time at which you send it."},
	{CodeXJMFMessageIDReused, Conflict, 0, "Give each message a Header/@ID of its own; repeat the same bytes to get the first answer again."},

	{CodeCostingAuthorityRequired, Conflict, 0, "Ask your partner manager: no approved cost data of your organization is in force."},
	{CodeCostingMediaRequired, ValidationFailed, 0, "Name each medium by its exact Media/@ID in your cost data; labels, weights and product codes identify nothing."},
	{CodeCostingManualReviewRequired, Conflict, 0, "Have a person look at the result: `reasons` says why it is not safe to quote from."},

	{CodeInvalidCategory, InvalidRequest, 0, "Name the categories of master data that `detail` lists, each once, with commas between them."},
	{CodeMasterDataUnavailable, Unavailable, 0, doWait},
	{CodeMasterDataOverflow, Conflict, 0, "Ask for fewer categories; if one of them alone is too much, ask for it in pages, or have its owner split it."},
	{CodeMasterDataDuplicate, Conflict, 0, "Do not retry: the owner of the master data has to mend an identifier that is there twice, and have them approved again."},

	{CodeWebhookInvalid, ValidationFailed, 0, "Mend the members named in `errors`."},
	{CodeWebhookStateConflict, Conflict, 0, "Read the endpoint: mend what its `reason` names, enable it, then send the request again."},

	{CodePlatformRequestInvalid, ValidationFailed, 0, "Mend the members named in `errors`."},
	{CodeRFQStateConflict, Conflict, 0, "Read the RFQ again; its state does not allow this any more."},
	{CodeRevisionConflict, RevisionConflict, 0, "Read the record again, decide anew, and send its new ETag as If-Match."},
	{CodeLiveKeyRequired, Forbidden, 0, "Use a live key: master data is one for the sandbox and production."},
	{CodeMasterDataConflict, Conflict, 0, "Read the approval again; it was withdrawn already."},

	{CodeStoreUnavailable, Unavailable, 0, "Send the same request with the same Idempotency-Key after Retry-After seconds; it is safe."},
	{CodeInternalError, InternalError, 0, "Retry with backoff; if it stays, tell us the request id."},
}

// Codes returns the code table, statuses filled in from the registry.
func Codes() []Definition {
	rows := make([]Definition, len(codes))
	for i, d := range codes {
		rows[i] = resolve(d)
	}
	return rows
}

// Lookup finds a code's row; unknown codes report false.
func Lookup(code Code) (Definition, bool) {
	for _, d := range codes {
		if d.Code == code {
			return resolve(d), true
		}
	}
	return Definition{}, false
}

func resolve(d Definition) Definition {
	if t, ok := TypeOf(d.Slug); ok {
		d.Status = t.Status
	}
	return d
}
