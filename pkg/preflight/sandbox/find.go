// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
)

// Inspector is a command that speaks the inspector's protocol.
type Inspector struct {
	// Path of the executable.
	Path string
	// Args lead to the inspector where Path is more than that.
	Args []string
}

// InspectorArg makes the main executable the inspector if the executable of the inspector
// does not lie beside it (`go run`).
const InspectorArg = "inspector"

// Find returns the inspector beside the running executable, where releases install it. If
// there is none (go run, a single binary), Find returns the running executable with the
// fallback arguments, which must run inspect.Main. That executable starts more slowly,
// because it contains the whole program.
func Find(fallback ...string) (Inspector, error) {
	self, err := os.Executable()
	if err != nil {
		return Inspector{}, fmt.Errorf("find inspector: %w", err)
	}
	return find(self, fallback), nil
}

func find(self string, fallback []string) Inspector {
	beside := filepath.Join(filepath.Dir(self), InspectorName)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
		return Inspector{Path: beside}
	}
	return Inspector{Path: self, Args: fallback}
}
