// SPDX-License-Identifier: Apache-2.0

package webhook

// Condition says in one word whether deliveries to an endpoint are sent.
type Condition string

// The conditions.
const (
	// Open means that they are.
	Open Condition = "open"
	// Closed means that they wait until the capability opens for the endpoint.
	Closed Condition = "closed"
	// Off means that they wait until somebody enables the endpoint.
	Off Condition = "disabled"
	// NotEnrolled means that events are not kept for it yet.
	NotEnrolled Condition = "not-enrolled"
)

// Condition says whether deliveries to the endpoint are sent, and why not. What a
// person has to mend comes before what opens by itself.
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
