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

// isPlugin reports whether kubectl has started the executable.
func isPlugin(called string) bool { return called == pluginName || called == pluginCompletionName }

// displayName returns the annotation with the name of the executable in help texts.
func displayName(plugin bool) map[string]string {
	name := "printmarket"
	if plugin {
		name = "kubectl printmarket"
	}
	return map[string]string{cobra.CommandDisplayNameAnnotation: name}
}

// operatorGroup is a group of operator commands in the help of the plugin.
type operatorGroup struct {
	cobra.Group
	commands []*cobra.Command
}

// operatorGroups returns the commands of the plugin. Servers and the tools of partners
// stay with the binary.
func operatorGroups() []operatorGroup {
	return []operatorGroup{
		{cobra.Group{ID: "access", Title: "Access of partners:"}, []*cobra.Command{postureCommand(), keysCommand()}},
		{cobra.Group{ID: "records", Title: "Records of the marketplace:"}, []*cobra.Command{
			rfqsCommand(), quotesCommand(), masterDataCommand(), auditCommand(),
		}},
		{cobra.Group{ID: "traffic", Title: "Traffic and jobs:"}, []*cobra.Command{
			requestsCommand(), callbacksCommand(), webhooksCommand(), queueCommand(),
		}},
		{cobra.Group{ID: "health", Title: "Health of the installation:"}, []*cobra.Command{doctorCommand(), selftestCommand()}},
	}
}

// completing are the arguments of a call: under the name for completions, those with
// which shells ask for them.
func completing(called string, args []string) []string {
	if called == pluginCompletionName {
		return slices.Insert(slices.Clone(args), 0, cobra.ShellCompRequestCmd)
	}
	return args
}
