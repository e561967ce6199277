// SPDX-License-Identifier: Apache-2.0

package webhook

// Condition states whether deliveries to an endpoint are sent.
type Condition string

// The conditions.
const (
	// Open means that deliveries are sent.
	Open Condition = "open"
	// Closed means that deliveries wait until the capability opens for the endpoint.
	Closed Condition = "closed"
	// Off means that deliveries wait until the endpoint is enabled.
	Off Condition = "disabled"
	// NotEnrolled means that events are not recorded for the endpoint yet.
	NotEnrolled Condition = "not-enrolled"
)

// Condition returns whether deliveries to the endpoint are sent, and why not. A cause
// that requires an action takes precedence over one that ends by itself.
func (k *Known) Condition() (condition Condition, reason string) {
	switch {
	case k.Standing.Disabled != NotDisabled:
		return Off, string(k.Standing.Disabled)
	case k.Closed != "":
		return Closed, k.Closed
	case k.Standing.EnrolledAt.IsZero():
		return NotEnrolled, ""
	default:
		return Open, ""
	}
}
