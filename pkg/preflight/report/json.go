// SPDX-License-Identifier: Apache-2.0

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sync"
	"unicode/utf8"
)

// MaxBytes bounds the JSON of a report. [Decode] rejects a longer one; the limits of
// the engine keep reports far below.
const MaxBytes = 16 << 20

// versions are the versions of the documents that this package reads.
var versions = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^1\.[0-9]{1,4}$`) }) // constant

// Encode writes the canonical JSON: two equal reports have equal bytes.
func Encode(r Report) ([]byte, error) { return encode(r) }

// encode writes JSON with a newline at its end.
func encode(document any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	// Programs that show names from the PDF escape them.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(document); err != nil {
		return nil, fmt.Errorf("encode report: %w", err)
	}
	return out.Bytes(), nil
}

// Decode reads the output of [Encode]. It returns [ErrInvalid] for a document that is
// too long, is not UTF-8, has another version or unknown members, has parameters
// beyond their bounds, or is followed by anything but white space.
func Decode(data []byte) (Report, error) {
	var r Report
	if err := decode(data, &r); err != nil {
		return Report{}, err
	}
	if !versions().MatchString(r.Version) {
		return Report{}, fmt.Errorf("%w: version %q, want 1.0 to %s", ErrInvalid, r.Version, Version)
	}
	if r.Language != "" && !slices.Contains(Languages(), r.Language) {
		return Report{}, fmt.Errorf("%w: language %q, want one of %v", ErrInvalid, r.Language, Languages())
	}
	if _, err := ParseVerdict(string(r.Verdict)); err != nil {
		return Report{}, err
	}
	for i := range r.Findings {
		if _, err := ParseSeverity(string(r.Findings[i].Severity)); err != nil {
			return Report{}, err
		}
		if len(r.Findings[i].MessageID) > maxMessageID {
			return Report{}, fmt.Errorf("%w: messageId of finding %d is longer than %d bytes", ErrInvalid, i, maxMessageID)
		}
	}
	return r, nil
}

// decode reads exactly one JSON document without unknown members. It returns [ErrInvalid] for
// anything else, and for more than [MaxBytes].
func decode(data []byte, into any) error {
	if len(data) > MaxBytes {
		return fmt.Errorf("%w: longer than %d bytes", ErrInvalid, MaxBytes)
	}
	if !utf8.Valid(data) {
		return fmt.Errorf("%w: not UTF-8", ErrInvalid)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: data after the document", ErrInvalid)
	}
	return nil
}
