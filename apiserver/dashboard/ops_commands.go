// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"strings"
)

// Local is an installation without a cluster, as `printmarket dev` is one.
type Local struct {
	// Manifests is the directory of the gates. Variables is the file with the addresses and keys of the
	// installation, one NAME=VALUE a line.
	Manifests, Variables string
}

// localKey is the key of the [Local] in the context in which pages are rendered.
type localKey struct{}

// localOf returns the installation of the page that is rendered; nil for one in a cluster.
func localOf(ctx context.Context) *Local {
	local, _ := ctx.Value(localKey{}).(*Local)
	return local
}

// runnable returns commands that can be run where the page is shown. Commands are written for a cluster. Without a
// cluster, those that read or change custom resources do so in the directory of manifests, and the others
// get their addresses and keys from the file with the variables.
func runnable(ctx context.Context, commands string) string {
	local := localOf(ctx)
	if local == nil {
		return commands
	}
	lines := strings.Split(commands, "\n")
	for i, line := range lines {
		command := strings.TrimPrefix(line, "kubectl ")
		switch {
		case strings.HasPrefix(command, "printmarket posture") || strings.HasPrefix(command, "printmarket rollout"):
			lines[i] = command + " --from " + quoted(local.Manifests)
		case strings.HasPrefix(command, "printmarket "):
			lines[i] = "env $(cat " + quoted(local.Variables) + ") " + command
		}
	}
	return strings.Join(lines, "\n")
}
