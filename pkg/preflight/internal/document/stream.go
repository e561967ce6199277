// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"

	"github.com/pdfcpu/pdfcpu/pkg/filter"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// Decoded streams of up to keepEach bytes are cached, in total up to keepAll bytes.
const (
	keepEach = 1 << 20
	keepAll  = 16 << 20
)

// Decode returns the content of a stream. When it returns nil, an incident states
// the reason.
func (f *File) Decode(o types.Object, page int) []byte {
	ref, isRef := o.(types.IndirectRef)
	number := int(ref.ObjectNumber)
	if data, ok := f.streams[number]; ok && isRef {
		return data
	}
	stream, ok := f.Stream(o)
	if !ok {
		return nil
	}
	data, err := f.decode(stream)
	var damaged *damage
	switch {
	case errors.Is(err, filter.ErrDecodeLimitExceeded):
		f.Budget.exhaust(facts.Incident{Rule: RuleDecode, Page: page, Parameters: facts.Values{
			"stream_mib": float64(f.limits.StreamBytes >> 20), "total_mib": float64(f.limits.DocumentBytes >> 20),
		}})
		return nil
	case errors.Is(err, errChecksum):
		f.collector.Incident(facts.Incident{
			Rule: RuleRepaired, Page: page, Object: Ref(o), Variant: "checksum",
		})
	case err != nil:
		f.collector.Incomplete()
		f.collector.Incident(facts.Incident{
			Rule: RuleStream, Page: page, Object: Ref(o),
			Variant: "content", Parameters: facts.Values{"parser": sentence(err)},
		})
		if !errors.As(err, &damaged) {
			return nil
		}
	}
	if isRef && len(data) <= keepEach && f.kept+int64(len(data)) <= keepAll {
		f.streams[number] = data
		f.kept += int64(len(data))
	}
	return data
}

// decode decodes a stream and takes its bytes from the budget, also those before a
// failure.
func (f *File) decode(stream types.StreamDict) ([]byte, error) {
	return f.decodeUpTo(stream, f.limits.StreamBytes)
}

// decodeUpTo is decode for a stream with a limit of its own.
func (f *File) decodeUpTo(stream types.StreamDict, most int64) ([]byte, error) {
	limit := min(most, f.limits.StreamBytes, f.limits.DocumentBytes-f.Budget.decoded)
	if limit <= 0 {
		return nil, filter.ErrDecodeLimitExceeded
	}
	data, err := undo(stream, limit)
	f.panicked(err)
	f.Budget.decoded += int64(len(data))
	return data, err
}
