// SPDX-License-Identifier: Apache-2.0

package source

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Verdict is the result of checking a file or a directory.
type Verdict struct {
	Path   string  `json:"path"`
	Valid  bool    `json:"valid"`
	ID     string  `json:"id,omitempty"`
	Level  Level   `json:"level,omitempty"`
	Owner  string  `json:"owner,omitempty"`
	Counts []Count `json:"counts,omitempty"`
	Faults []Fault `json:"faults,omitempty"`
	// More is set if there are other faults.
	More bool `json:"more,omitempty"`
}

// Check reads a file or a directory. The document is nil if it is invalid. An error means
// that files cannot be read at all.
func Check(ctx context.Context, path string, o Options) (Verdict, *Document, error) {
	document, err := Read(ctx, path, o)
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		return Verdict{Path: path, Faults: invalid.Faults, More: invalid.More}, nil, nil
	}
	if err != nil {
		return Verdict{}, nil, err
	}
	return Verdict{
		Path: path, Valid: true, ID: document.ID(), Level: document.Level(), Owner: document.Owner(), Counts: document.Counts(),
	}, document, nil
}

// Lines returns the verdict as text: the document, or the faults like compiler errors and
// their number.
func (v Verdict) Lines() []string {
	if v.Valid {
		var counts []string
		for _, c := range v.Counts {
			counts = append(counts, fmt.Sprintf("%s %d", c.List, c.Entries))
		}
		return []string{fmt.Sprintf("%s: valid %s of %s", v.Path, v.Level, v.Owner), "  " + strings.Join(counts, ", "), "  " + v.ID}
	}
	var lines []string
	for _, f := range v.Faults {
		lines = append(lines, f.String())
	}
	summary := fmt.Sprintf("%d faults", len(v.Faults))
	switch {
	case v.More:
		summary = fmt.Sprintf("more than %d faults", len(v.Faults))
	case len(v.Faults) == 1:
		summary = "1 fault"
	}
	return append(lines, fmt.Sprintf("printmarket: %s: %s", v.Path, summary))
}
