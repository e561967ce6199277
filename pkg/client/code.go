// SPDX-License-Identifier: Apache-2.0

package client

// Code is the machine-readable cause of a [Problem]. New codes may appear;
// /docs/api/problem-codes.json of the API says what to do for each.
type Code string

// Faults of any request.
const (
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
)

// Authentication and authorization.
const (
	CodeMissingAPIKey         Code = "MISSING_API_KEY"
	CodeInvalidAPIKey         Code = "INVALID_API_KEY"
	CodePartnerSuspended      Code = "PARTNER_SUSPENDED"
	CodeContractNotEffective  Code = "CONTRACT_NOT_EFFECTIVE"
	CodeInsufficientScope     Code = "INSUFFICIENT_SCOPE"
	CodeCapabilityNotEntitled Code = "CAPABILITY_NOT_ENTITLED"

	CodeAuthenticationRequired    Code = "AUTHENTICATION_REQUIRED"
	CodeOrganizationScopeMismatch Code = "ORGANIZATION_SCOPE_MISMATCH"
)

// Rate limits and quotas.
const (
	CodeRateLimitExceeded Code = "RATE_LIMIT_EXCEEDED"
	CodeOverloaded        Code = "OVERLOADED"
)

// Closed capabilities.
const (
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
)

// RFQs.
const (
	CodeRFQInvalid            Code = "PARTNER_RFQ_INVALID"
	CodeRFQQuotaExceeded      Code = "PARTNER_RFQ_QUOTA_EXCEEDED"
	CodeRFQCatalogUnavailable Code = "PARTNER_RFQ_CATALOG_CONTEXT_UNAVAILABLE"
)

// Preflight.
const (
	CodePreflightInvalid          Code = "PREFLIGHT_INVALID"
	CodePreflightQuotaExceeded    Code = "PREFLIGHT_QUOTA_EXCEEDED"
	CodePreflightBacklogExceeded  Code = "PREFLIGHT_BACKLOG_EXCEEDED"
	CodePreflightQueueUnavailable Code = "PREFLIGHT_QUEUE_UNAVAILABLE"
	CodePreflightReportNotReady   Code = "PREFLIGHT_REPORT_NOT_READY"
	CodePreflightNotCancellable   Code = "PREFLIGHT_NOT_CANCELLABLE"
)

// XJDF and XJMF.
const (
	CodeValidationError      Code = "VALIDATION_ERROR"
	CodeXJMFSignatureInvalid Code = "XJMF_SIGNATURE_INVALID"
	CodeXJMFTimestampOutside Code = "XJMF_TIMESTAMP_OUT_OF_WINDOW"
	CodeXJMFMessageIDReused  Code = "XJMF_MESSAGE_ID_REUSED"
)

// Costing.
const (
	CodeCostingAuthorityRequired    Code = "COSTING_AUTHORITY_REQUIRED"
	CodeCostingMediaRequired        Code = "XJDF_COSTING_MEDIA_AUTHORITY_REQUIRED"
	CodeCostingManualReviewRequired Code = "COSTING_MANUAL_REVIEW_REQUIRED"
)

// Master data, for which this client has no methods.
const (
	CodeInvalidCategory       Code = "INVALID_CATEGORY"
	CodeMasterDataUnavailable Code = "MASTER_DATA_UNAVAILABLE"
	CodeMasterDataOverflow    Code = "MASTER_DATA_OVERFLOW"
	CodeMasterDataDuplicate   Code = "MASTER_DATA_DUPLICATE_IDENTITY"
)

// Webhooks, for which this client has no methods.
const (
	CodeWebhookInvalid       Code = "WEBHOOK_INVALID"
	CodeWebhookStateConflict Code = "WEBHOOK_STATE_CONFLICT"
)

// The platform API, for which this client has no methods.
const (
	CodePlatformRequestInvalid Code = "PLATFORM_REQUEST_INVALID"
	CodeRFQStateConflict       Code = "RFQ_STATE_CONFLICT"
	CodeRevisionConflict       Code = "REVISION_CONFLICT"
	CodeLiveKeyRequired        Code = "LIVE_KEY_REQUIRED"
	CodeMasterDataConflict     Code = "MASTER_DATA_STATE_CONFLICT"
)

// Faults of the API.
const (
	CodeStoreUnavailable Code = "STORE_UNAVAILABLE"
	CodeInternalError    Code = "INTERNAL_ERROR"
)
