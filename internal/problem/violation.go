// SPDX-License-Identifier: Apache-2.0

package problem

// ViolationCode is the machine-readable kind of a [Violation]. Codes may be added, so clients
// treat an unknown code like [InvalidValue].
type ViolationCode string

// The codes. [ViolationCodes] describes each.
const (
	Required        ViolationCode = "REQUIRED"
	UnknownMember   ViolationCode = "UNKNOWN_MEMBER"
	WrongType       ViolationCode = "WRONG_TYPE"
	InvalidLength   ViolationCode = "INVALID_LENGTH"
	OutOfRange      ViolationCode = "OUT_OF_RANGE"
	InvalidFormat   ViolationCode = "INVALID_FORMAT"
	NotAllowed      ViolationCode = "NOT_ALLOWED"
	InvalidValue    ViolationCode = "INVALID_VALUE"
	UnknownProduct  ViolationCode = "UNKNOWN_PRODUCT"
	UnknownCategory ViolationCode = "UNKNOWN_CATEGORY"
	WrongCategory   ViolationCode = "WRONG_CATEGORY"
	MessageTooOld   ViolationCode = "MESSAGE_TOO_OLD"
	MessageInFuture ViolationCode = "MESSAGE_IN_FUTURE"
)

// ViolationDefinition is one row of the table of violation codes.
type ViolationDefinition struct {
	Code ViolationCode
	// Meaning is one sentence for the reader of a contract.
	Meaning string
}

var violationCodes = [...]ViolationDefinition{
	{Required, "A required member is missing."},
	{UnknownMember, "The request has no member of this name."},
	{WrongType, "The value has another JSON type."},
	{InvalidLength, "The text is too short or too long, or the array has too few or too many elements."},
	{OutOfRange, "The number is too small or too large."},
	{InvalidFormat, "The text does not have the required format."},
	{NotAllowed, "The value is not one of the allowed values."},
	{InvalidValue, "The value is invalid for another reason, described in detail."},
	{UnknownProduct, "The catalog has no product with this uid."},
	{UnknownCategory, "The catalog has no marketplace group of this name."},
	{WrongCategory, "The product belongs to another marketplace group."},
	{MessageTooOld, "The time of the XJMF message is too long ago."},
	{MessageInFuture, "The time of the XJMF message is in the future."},
}

// ViolationCodes returns the table of violation codes.
func ViolationCodes() []ViolationDefinition { return violationCodes[:] }
