// SPDX-License-Identifier: Apache-2.0

package color

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// icc reads an ICCBased space. Its family is that of the profile, or, where that
// cannot be trusted, that of its number of components.
func (r *Resolver) icc(o types.Object) *Space {
	profile := r.file.ICC(o)
	if profile == nil {
		profile = &facts.ICC{Components: r.file.Int(r.file.Dict(o)["N"])}
	}
	s := &Space{Profile: profile, Components: profile.Components}
	switch {
	case profile.Space == "Lab" && profile.Fault == "":
		s.Family, s.kind = Lab, foreign
	case profile.Components == 1:
		s.Family, s.kind = ICCGray, light
	case profile.Components == 3:
		s.Family, s.kind = ICCRGB, additive
	case profile.Components == 4:
		s.Family, s.kind = ICCCMYK, process
	default:
		s.Components = 0
	}
	return s
}
