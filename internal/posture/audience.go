// SPDX-License-Identifier: Apache-2.0

package posture

import (
	"slices"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

// membership is a partner's relation to an audience. The zero value is outside.
type membership uint8

const (
	outside membership = iota
	excluded
	member
)

// validAudience reports whether the schema would accept the audience.
func validAudience(stage Posture, a *v1alpha1.Audience) bool {
	if a == nil {
		return stage != PrivateBeta
	}
	if stage == PrivateBeta && len(a.Partners) == 0 && a.Selector == nil {
		return false
	}
	return a.Selector == nil || validSelector(a.Selector)
}

func validSelector(s *v1alpha1.PartnerSelector) bool {
	// Elsewhere in Kubernetes an empty selector matches every object. Here it
	// would open a private beta for every partner, so it is invalid.
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		return false
	}
	for i := range s.MatchExpressions {
		r := &s.MatchExpressions[i]
		switch r.Operator {
		case v1alpha1.SelectorIn, v1alpha1.SelectorNotIn:
			if len(r.Values) == 0 {
				return false
			}
		case v1alpha1.SelectorExists, v1alpha1.SelectorDoesNotExist:
			if len(r.Values) != 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// membershipOf returns a partner's membership. Names refer to partners in the rollout's
// own namespace; an exclusion applies in every namespace.
func membershipOf(r *v1alpha1.CapabilityRollout, p *v1alpha1.PartnerEntitlement) membership {
	a := r.Spec.Audience
	switch {
	case a == nil:
		return member
	case slices.Contains(a.Excluded, p.Name):
		return excluded
	case len(a.Partners) == 0 && a.Selector == nil:
		return member
	case r.Namespace != p.Namespace:
		return outside
	case slices.Contains(a.Partners, p.Name) || a.Selector != nil && matches(a.Selector, p.Labels):
		return member
	default:
		return outside
	}
}

func matches(s *v1alpha1.PartnerSelector, labels map[string]string) bool {
	for key, want := range s.MatchLabels {
		if got, found := labels[key]; !found || got != want {
			return false
		}
	}
	for i := range s.MatchExpressions {
		if !holds(&s.MatchExpressions[i], labels) {
			return false
		}
	}
	return true
}

func holds(r *v1alpha1.SelectorRequirement, labels map[string]string) bool {
	value, found := labels[r.Key]
	switch r.Operator {
	case v1alpha1.SelectorIn:
		return found && slices.Contains(r.Values, value)
	case v1alpha1.SelectorNotIn:
		return !found || !slices.Contains(r.Values, value)
	case v1alpha1.SelectorExists:
		return found
	case v1alpha1.SelectorDoesNotExist:
		return !found
	default:
		return false
	}
}
