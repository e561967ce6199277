// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"encoding/json"
	"fmt"
)

// auto is the only element of Fixes that apply each fix for which there are findings.
const auto = "auto"

// Fixes lists the fixes of a submission by name. The only element "auto" requests each fix for
// which the inspection has findings and that is possible. Nil requests none.
type Fixes []string

// MarshalJSON writes the string auto, or the list.
func (f Fixes) MarshalJSON() ([]byte, error) {
	if len(f) == 1 && f[0] == auto {
		return json.Marshal(auto)
	}
	return json.Marshal([]string(f))
}

// UnmarshalJSON reads a string or a list of strings.
func (f *Fixes) UnmarshalJSON(text []byte) error {
	var name string
	if json.Unmarshal(text, &name) == nil {
		*f = Fixes{name}
		return nil
	}
	if err := json.Unmarshal(text, (*[]string)(f)); err != nil {
		return fmt.Errorf("fixes: %w", err)
	}
	return nil
}
