// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/posture"
)

// ParseQuestion parses a question of the command line: the name of a capability, and the
// values of --keys and --access, which may be empty.
func ParseQuestion(capability, keys, access string) (Question, error) {
	c, known := posture.ParseCapability(capability)
	if !known {
		return Question{}, fmt.Errorf("capability %q does not exist", capability)
	}
	if keys != "" && keys != "live" && keys != "test" {
		return Question{}, fmt.Errorf("--keys must be live or test, not %q", keys)
	}
	if access != "" && access != "read" && access != "write" {
		return Question{}, fmt.Errorf("--access must be read or write, not %q", access)
	}
	return Question{Capability: c, Keys: keys, Access: access}, nil
}
