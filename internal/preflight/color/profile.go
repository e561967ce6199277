// SPDX-License-Identifier: Apache-2.0

package color

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/internal/preflight/document"
	"github.com/printmarket/printmarket/internal/preflight/facts"
	"github.com/printmarket/printmarket/internal/preflight/icc"
)

// icc reads an ICCBased space. Its family is that of the profile, or, where that
// cannot be trusted, that of its number of components.
func (r *Resolver) icc(o types.Object) *Space {
	profile := r.profile(o)
	s := &Space{Profile: profile, Components: profile.Components}
	switch space := profile.Space; {
	case space == "Lab" && profile.Fault == "":
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

// profile reads an embedded profile, once.
func (r *Resolver) profile(o types.Object) *facts.ICC {
	ref, isRef := o.(types.IndirectRef)
	if known, ok := r.profiles[int(ref.ObjectNumber)]; ok && isRef {
		return known
	}
	p := Profile(r.file, o, r.page)
	kept := r.collector.Profile(p)
	if kept == nil {
		kept = &p
	}
	if isRef {
		r.profiles[int(ref.ObjectNumber)] = kept
	}
	return kept
}

// Profile describes the ICC profile in a stream, its faults included.
func Profile(file *document.File, o types.Object, page int) facts.ICC {
	p := facts.ICC{Object: document.Ref(o), Components: file.Int(file.Dict(o)["N"])}
	data := file.Decode(o, page)
	if data == nil {
		p.Fault = "The profile cannot be read."
		return p
	}
	sum := sha256.Sum256(data)
	p.SHA256 = hex.EncodeToString(sum[:])
	header, err := icc.Parse(data)
	p.Space, p.Class, p.Version, p.Description = header.Space, header.Class, header.Version, header.Description
	var fault *icc.Fault
	switch {
	case errors.As(err, &fault):
		p.Fault = fault.Reason
	case header.Channels() != p.Components:
		p.Fault = fmt.Sprintf("The file says that the profile has %d components; it is one for %s, which has %d.", p.Components, header.Space, header.Channels())
	}
	return p
}
