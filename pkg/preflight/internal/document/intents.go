// SPDX-License-Identifier: Apache-2.0

package document

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// maxIntents bounds the output intents: a sound file has one for each standard.
const maxIntents = 32

// outputIntents reads ISO 32000-2, 14.11.5.
func (f *File) outputIntents(root types.Dict) {
	doc := f.collector.Document()
	for _, o := range f.Array(root["OutputIntents"]) {
		dict := f.Dict(o)
		if dict == nil {
			continue
		}
		if len(doc.Intents) >= maxIntents {
			f.collector.Exhausted(facts.Incident{Rule: RuleStructure, Variant: "intents", Parameters: facts.Values{"limit": float64(maxIntents)}})
			return
		}
		doc.Intents = append(doc.Intents, facts.OutputIntent{
			Subtype:    Clean(f.Name(dict["S"]), 40),
			Condition:  f.Text(dict["OutputConditionIdentifier"]),
			Registry:   f.Text(dict["RegistryName"]),
			Info:       f.Text(dict["Info"]),
			Profile:    f.ICC(dict["DestOutputProfile"]),
			Referenced: f.Dict(dict["DestOutputProfileRef"]) != nil,
			Object:     Ref(o),
		})
	}
}

// ICC reads an ICC profile: the stream of an ICCBased space or of an output
// intent. It returns nil for an object that is not a stream, or when the document
// has too many profiles. It reads each object once.
func (f *File) ICC(o types.Object) *facts.ICC {
	ref, isRef := o.(types.IndirectRef)
	number := int(ref.ObjectNumber)
	if known, ok := f.profiles[number]; ok && isRef {
		return known
	}
	stream, ok := f.Stream(o)
	if !ok {
		return nil
	}
	out := facts.ICC{Object: Ref(o), Components: f.Int(stream.Dict["N"])}
	f.readProfile(stream, &out)
	profile := f.collector.Profile(out)
	if isRef {
		f.profiles[number] = profile
	}
	return profile
}

// Profile returns the data of a profile that [File.ICC] has returned, or nil.
func (f *File) Profile(p *facts.ICC) []byte {
	for number, known := range f.profiles {
		if known == p {
			return f.Decode(*types.NewIndirectRef(number, 0), 0)
		}
	}
	return nil
}

// readProfile sets the facts of a profile from its data.
func (f *File) readProfile(stream types.StreamDict, out *facts.ICC) {
	data, err := f.decode(stream)
	if err != nil {
		out.Fault = "unpack"
		return
	}
	sum := sha256.Sum256(data)
	out.SHA256 = hex.EncodeToString(sum[:])
	header, err := ParseICC(data)
	out.Space, out.Class, out.Version, out.Description = header.Space, header.Class, header.Version, header.Description
	var fault *ICCFault
	switch channels := header.Channels(); {
	case errors.As(err, &fault):
		out.Fault, out.FaultValues = fault.Reason, fault.Values
	case channels != out.Components:
		out.Fault = "channels"
		out.FaultValues = facts.Values{"channels": float64(channels), "space": header.Space, "components": float64(out.Components)}
	}
}
