// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const (
	// pluginName is the name under which kubectl finds this executable as a plugin.
	pluginName = "kubectl-printmarket"
	// pluginCompletionName is the name under which kubectl asks it for completions: the
	// arguments are those of the plugin, the last one as far as it is typed.
	pluginCompletionName = "kubectl_complete-printmarket"
)

// calledAs is the name under which this executable was started; empty if nobody says.
func calledAs(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return strings.TrimSuffix(filepath.Base(args[0]), ".exe")
}

// displayName is how the user calls the executable, for the texts of help.
func displayName(called string) map[string]string {
	name := "printmarket"
	if called == pluginName || called == pluginCompletionName {
		name = "kubectl printmarket"
	}
	return map[string]string{cobra.CommandDisplayNameAnnotation: name}
}

// completing are the arguments of a call: under the name for completions, those with
// which shells ask for them.
func completing(called string, args []string) []string {
	if called == pluginCompletionName {
		return slices.Insert(slices.Clone(args), 0, cobra.ShellCompRequestCmd)
	}
	return args
}
