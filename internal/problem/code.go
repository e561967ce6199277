// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"net/http"
	"slices"
)

// Code is the machine-readable cause of a problem: the `code` member of every
// error response. It matches ^[A-Z][A-Z0-9_]{2,63}$.
type Code string

// The codes of the platform. [codes] describes each; tests compare that table
// with the published schema, the contracts and the documentation.
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

	// Posture: one code per closed capability.
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
	CodePreflightReportMissing    Code = "PREFLIGHT_REPORT_UNAVAILABLE"
	CodePreflightNotCancellable   Code = "PREFLIGHT_NOT_CANCELLABLE"

	// Uploaded files.
	CodeFileRejected        Code = "FILE_REJECTED"
	CodeFileStorageExceeded Code = "FILE_STORAGE_EXCEEDED"
	CodeFilesDisabled       Code = "FILES_DISABLED"
	CodeFilesUnavailable    Code = "FILES_UNAVAILABLE"

	// XJDF and XJMF.
	CodeValidationError        Code = "VALIDATION_ERROR"
	CodeXJDFCatalogUnavailable Code = "XJDF_CATALOG_UNAVAILABLE"
	CodeXJMFSignatureInvalid   Code = "XJMF_SIGNATURE_INVALID"
	CodeXJMFTimestampOutside   Code = "XJMF_TIMESTAMP_OUT_OF_WINDOW"
	CodeXJMFMessageIDReused    Code = "XJMF_MESSAGE_ID_REUSED"

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

	// The platform API.
	CodePlatformRequestInvalid Code = "PLATFORM_REQUEST_INVALID"
	CodeRFQStateConflict       Code = "RFQ_STATE_CONFLICT"
	CodeRevisionConflict       Code = "REVISION_CONFLICT"
	CodeLiveKeyRequired        Code = "LIVE_KEY_REQUIRED"
	CodeMasterDataConflict     Code = "MASTER_DATA_STATE_CONFLICT"
	CodeErasureConflict        Code = "ERASURE_STATE_CONFLICT"

	// The service itself.
	CodeStoreUnavailable Code = "STORE_UNAVAILABLE"
	CodeInternalError    Code = "INTERNAL_ERROR"
)

// Definition is one row of the code table.
type Definition struct {
	Code Code `json:"code"`
	// Slug is the problem type; empty for about:blank.
	Slug Slug `json:"slug,omitempty"`
	// Status is the HTTP status of responses with the code.
	Status int `json:"status"`
	// Do is one sentence of advice: what to do next, and whether to retry.
	Do string `json:"whatToDo"`
}

const (
	doWait    = "Retry the same request after the number of seconds in Retry-After."
	doQuota   = "Retry after the number of seconds in Retry-After, when the quota window ends, or request a larger quota from your partner manager."
	doClosed  = "The capability is closed for your key; nothing has failed. With Retry-After, it opens then. Without Retry-After, do not retry in a loop: read `access`, `posture` and `opensAt` from GET /api/v1/account at most once a minute, or ask your partner manager. Failures of the platform have other codes: POSTURE_UNAVAILABLE, OVERLOADED, STORE_UNAVAILABLE."
	doLookup  = "Check the id and the key: a key finds only records of its own organization and mode (test or live)."
	doPartner = "Do not retry; contact your partner manager. Requests fail until the entitlement changes."
)

// codes is the table of all codes, in the order of the constants.
var codes = [...]Definition{
	{CodeInvalidRequest, InvalidRequest, 0, "Fix the request as described in `detail`, then send it again."},
	{CodeIdempotencyKeyRequired, InvalidRequest, 0, "Send an Idempotency-Key header with 1 to 255 visible ASCII characters. Use a new key for each logical create."},
	{CodeIdempotencyKeyInvalid, InvalidRequest, 0, "Send exactly one Idempotency-Key header with 1 to 255 visible ASCII characters."},
	{CodeIdempotencyKeyReused, IdempotencyConflict, 0, "Use a new Idempotency-Key for a different request. To get the original response, send the original body."},
	{CodeIdempotencyInProgress, Conflict, 0, doWait},
	{CodeRouteNotFound, NotFound, 0, "Check the path and method against the published contract in /docs/api/."},
	{CodeNotFound, NotFound, 0, doLookup},
	{CodeGone, Gone, 0, "Do not retry. The retention period has passed; submit the work again."},
	{CodeMethodNotAllowed, blank, http.StatusMethodNotAllowed, "Use one of the methods in the Allow header."},
	{CodeNotAcceptable, blank, http.StatusNotAcceptable, "Send an Accept header that allows one of the media types in `detail`."},
	{CodeRequestTimeout, blank, http.StatusRequestTimeout, "Send the complete body within the time limit in `detail`. Retry with the same Idempotency-Key."},
	{CodeLengthRequired, LengthRequired, 0, "Send a Content-Length header; a chunked body is not accepted."},
	{CodePayloadTooLarge, PayloadTooLarge, 0, "Send a body within the limit in `detail`."},
	{CodeHeadersTooLarge, blank, http.StatusRequestHeaderFieldsTooLarge, "Send fewer or smaller header fields, within the limit in `detail`."},
	{CodeUnsupportedMediaType, UnsupportedMediaType, 0, "Send the body as one of the media types in the contract, in UTF-8 and without Content-Encoding."},
	{CodeTooEarly, TooEarly, 0, "Retry after the TLS handshake is complete (RFC 8470)."},

	{CodeMissingAPIKey, Unauthenticated, 0, "Send the header Authorization: Bearer <API_KEY>."},
	{CodeInvalidAPIKey, Unauthenticated, 0, "Check that you send the complete key as Authorization: Bearer <API_KEY>, and that it has not expired or been revoked. Otherwise request a new key."},
	{CodePartnerSuspended, Forbidden, 0, "Do not retry; contact your partner manager. GET /api/v1/account reports the state and the contract, and works while other requests fail."},
	{CodeContractNotEffective, Forbidden, 0, "Do not retry before the first day of the contract in `detail`; GET /api/v1/account also reports the dates. Contact your partner manager about a contract that has ended."},
	{CodeInsufficientScope, Forbidden, 0, "Use a key that has the scope in `detail`."},
	{CodeCapabilityNotEntitled, Forbidden, 0, doPartner},
	{CodeAuthenticationRequired, Unauthenticated, 0, "Open a session with POST /api/v1/sessions and send its token as Authorization: Bearer <TOKEN>. API keys are not accepted here."},
	{CodeOrganizationScopeMismatch, Forbidden, 0, "Remove organizationId, or send the organization of the session. The session always determines the organization."},

	{CodeRateLimitExceeded, RateLimited, 0, doWait},
	{CodeOverloaded, Unavailable, 0, doWait},

	{CodePostureUnavailable, Unavailable, 0, "Retry with exponential backoff. The server that received the request has not loaded its access rules yet."},
	{CodeEstimateUnavailable, Unavailable, 0, "Do not retry. Estimates are disabled for all partners; create an RFQ instead."},
	{CodeRFQUnavailable, Unavailable, 0, doClosed},
	{CodeRFQReadUnavailable, Unavailable, 0, doClosed},
	{CodeRFQListUnavailable, Unavailable, 0, doClosed},
	{CodeQuoteReadUnavailable, Unavailable, 0, doClosed},
	{CodeQuoteAcceptanceUnavailable, Unavailable, 0, "Do not retry. Quote acceptance is disabled for all partners."},
	{CodeOrderUnavailable, Unavailable, 0, "Do not retry. Orders are disabled for all partners; the request had no effect."},
	{CodeBatchOrderUnavailable, Unavailable, 0, "Do not retry. Batch orders are disabled for all partners; the request had no effect."},
	{CodePreflightUnavailable, Unavailable, 0, doClosed},
	{CodeXJDFUnavailable, Unavailable, 0, doClosed},
	{CodeXJDFCostingUnavailable, Unavailable, 0, doClosed},
	{CodeXJMFUnavailable, Unavailable, 0, doClosed},
	{CodeWebhookUnavailable, Unavailable, 0, doClosed},
	{CodeMasterDataBridgeUnavailable, Unavailable, 0, doClosed},

	{CodeRFQInvalid, ValidationFailed, 0, "Fix the members listed in `errors`. GET /api/v1/catalog/products lists the valid products and their categories."},
	{CodeRFQQuotaExceeded, RateLimited, 0, doQuota},
	{CodeRFQCatalogUnavailable, Unavailable, 0, doWait},

	{CodePreflightInvalid, ValidationFailed, 0, "Fix the members listed in `errors`, then send the request again."},
	{CodePreflightQuotaExceeded, RateLimited, 0, doQuota},
	{CodePreflightBacklogExceeded, RateLimited, 0, "Wait until some of your jobs have finished, then retry. Retry-After suggests when."},
	{CodePreflightQueueUnavailable, Unavailable, 0, doWait},
	{CodePreflightReportNotReady, Conflict, 0, "Poll the job until its status is succeeded, then read the report."},
	{CodePreflightReportMissing, Conflict, 0, "Do not retry. `jobStatus` and `failure` state how the job ended; fix the cause and submit the file again."},
	{CodePreflightNotCancellable, Conflict, 0, "Do not retry. The job has already ended."},

	{CodeFileRejected, ValidationFailed, 0, "Do not retry. Check the file for viruses, export the PDF again on a clean computer, then upload it."},
	{CodeFileStorageExceeded, RateLimited, 0, "Delete files that you no longer need, or retry after the number of seconds in Retry-After, when the next file expires."},
	{CodeFilesDisabled, Unavailable, 0, "Do not retry. The installation accepts no uploads; submit the URL of the file as fileUrl."},
	{CodeFilesUnavailable, Unavailable, 0, "Retry the same request after the number of seconds in Retry-After. If the error persists, contact support with the `requestId`."},

	{CodeValidationError, InvalidRequest, 0, "Fix the document as described in `errors` and `findings`, whose pointers refer to the document you sent, then send it again."},
	{CodeXJDFCatalogUnavailable, Unavailable, 0, doWait},
	{CodeXJMFSignatureInvalid, Unauthenticated, 0, "Check X-XJMF-Sender, the secret and its scheme, and sign exactly the bytes that you send. `printmarket xjmf verify` reports which part differs."},
	{CodeXJMFTimestampOutside, Unauthenticated, 0, "Synchronize your clock with NTP. Sign each attempt again with the time at which you send it."},
	{CodeXJMFMessageIDReused, Conflict, 0, "Use a unique Header/@ID for each message. To get the original response, send the same bytes again."},

	{CodeCostingAuthorityRequired, Conflict, 0, "Do not retry. Ask your partner manager to approve cost data for your organization."},
	{CodeCostingMediaRequired, ValidationFailed, 0, "Refer to each medium by its exact Media/@ID in your cost data. Labels, weights and product codes do not identify a medium."},
	{CodeCostingManualReviewRequired, Conflict, 0, "Do not retry. Have a person review the calculation; `reasons` lists why it is unsafe to quote from automatically."},

	{CodeInvalidCategory, InvalidRequest, 0, "Send a comma-separated list of the categories in `detail`, each at most once."},
	{CodeMasterDataUnavailable, Unavailable, 0, doWait},
	{CodeMasterDataOverflow, Conflict, 0, "Request fewer categories. If a single category is too large, request it in pages, or ask its owner to split it."},
	{CodeMasterDataDuplicate, Conflict, 0, "Do not retry. The owner of the master data must fix the duplicate identifier and have the master data approved again."},

	{CodeWebhookInvalid, ValidationFailed, 0, "Fix the members listed in `errors`, then send the request again."},
	{CodeWebhookStateConflict, Conflict, 0, "Read the endpoint, fix the cause in its `reason`, enable the endpoint, then send the request again."},

	{CodePlatformRequestInvalid, ValidationFailed, 0, "Fix the members listed in `errors`, then send the request again."},
	{CodeRFQStateConflict, Conflict, 0, "Read the RFQ again. Its state no longer allows this operation."},
	{CodeRevisionConflict, RevisionConflict, 0, "Read the record again, check that your change still applies, and send the new ETag as If-Match."},
	{CodeLiveKeyRequired, Forbidden, 0, "Use a live key. The operation concerns the sandbox and production together."},
	{CodeMasterDataConflict, Conflict, 0, "Do not retry. The approval was already withdrawn, or another key must approve; the detail names which."},
	{CodeErasureConflict, Conflict, 0, "Fix the cause in `detail`: suspend the partner, or plan the erasure again."},

	{CodeStoreUnavailable, Unavailable, 0, "Retry the same request with the same Idempotency-Key after the number of seconds in Retry-After. The retry is safe."},
	{CodeInternalError, InternalError, 0, "Retry with exponential backoff. If the error persists, contact support with the `requestId`."},
}

// Codes returns the table of codes with the statuses of their types.
func Codes() []Definition {
	rows := make([]Definition, len(codes))
	for i, d := range codes {
		rows[i] = resolve(d)
	}
	return rows
}

// PublicCodes returns the rows of the codes that partners can receive from a published surface:
// all but those of master data and of the platform API.
func PublicCodes() []Definition {
	return slices.DeleteFunc(Codes(), func(d Definition) bool {
		switch d.Code {
		case CodeMasterDataBridgeUnavailable, CodeInvalidCategory, CodeMasterDataUnavailable, CodeMasterDataOverflow, CodeMasterDataDuplicate,
			CodePlatformRequestInvalid, CodeRFQStateConflict, CodeRevisionConflict, CodeLiveKeyRequired, CodeMasterDataConflict, CodeErasureConflict:
			return true
		}
		return false
	})
}

// Lookup returns the row of a code, and false for an unknown code.
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
