// SPDX-License-Identifier: Apache-2.0

package cli

import "github.com/spf13/cobra"

const (
	// pluginName is the name under which kubectl finds this executable as a plugin.
	pluginName = "kubectl-printmarket"
	// pluginCompletionName is the name under which kubectl requests completions. The
	// arguments are those of the plugin, and the last one may be incomplete.
	pluginCompletionName = "kubectl_complete-printmarket"
)

// isPlugin reports whether kubectl has started the executable.
func isPlugin(called string) bool { return called == pluginName || called == pluginCompletionName }

// operatorGroup is a group of operator commands in the help of the plugin.
type operatorGroup struct {
	cobra.Group
	commands []*cobra.Command
}

// operatorGroups returns the commands of the plugin. Servers and the tools of partners
// stay with the binary.
func operatorGroups() []operatorGroup {
	return []operatorGroup{
		{cobra.Group{ID: "access", Title: "Access of partners:"}, []*cobra.Command{postureCommand(), rolloutCommand(), partnerCommand(), keysCommand()}},
		{cobra.Group{ID: "records", Title: "Records of the marketplace:"}, []*cobra.Command{
			rfqsCommand(), quotesCommand(), masterDataCommand(), auditCommand(), organizationsCommand(),
		}},
		{cobra.Group{ID: "traffic", Title: "Traffic and jobs:"}, []*cobra.Command{
			requestsCommand(), quotaCommand(), callbacksCommand(), webhooksCommand(), queueCommand(),
		}},
		{cobra.Group{ID: "health", Title: "Health of the installation:"}, []*cobra.Command{doctorCommand(), selftestCommand()}},
	}
}
