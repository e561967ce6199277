// SPDX-License-Identifier: Apache-2.0

//go:build linux

package nodes

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Config returns the administrator's configuration, without the request limit of client-go.
func (c *Cluster) Config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", c.Kubeconfig())
	if err != nil {
		return nil, fmt.Errorf("configuration of the administrator: %w", err)
	}
	config.QPS = -1
	return config, nil
}

// writeKubeconfig writes NAME.kubeconfig for the certificate of the same name.
func (c *Cluster) writeKubeconfig(file string) error {
	const name = "default"
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{name: {
			Server: c.addresses.server(), CertificateAuthority: c.pki("ca.crt"),
		}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {
			ClientCertificate: c.pki(file + ".crt"), ClientKey: c.pki(file + ".key"),
		}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		CurrentContext: name,
	}, c.pki(file+".kubeconfig"))
}

// CommandError is the error of a failed program.
type CommandError struct {
	Arguments []string
	// Output is the standard error of the program.
	Output string
	Err    error
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("%s: %v: %s", strings.Join(e.Arguments, " "), e.Err, strings.TrimSpace(e.Output))
}

func (e *CommandError) Unwrap() error { return e.Err }

// Command returns kubectl as the administrator, for callers that need its pipes.
func (c *Cluster) Command(ctx context.Context, arguments ...string) *exec.Cmd {
	all := append([]string{"--kubeconfig=" + c.Kubeconfig(), "--cache-dir=" + c.work("kubectl")}, arguments...)
	command := exec.CommandContext(ctx, c.assets.controlProgram("kubectl"), all...)
	// Ignore the caller's kubeconfig and kuberc.
	command.Env = append(os.Environ(), "HOME="+c.work(), "KUBECONFIG=", "KUBERC=off")
	return command
}

// Kubectl runs kubectl as the administrator, with input as its standard input,
// and returns its standard output. Its error is a *[CommandError].
func (c *Cluster) Kubectl(ctx context.Context, input string, arguments ...string) (string, error) {
	return run(c.Command(ctx, arguments...), input)
}

func run(command *exec.Cmd, input string) (string, error) {
	command.Stdin = strings.NewReader(input)
	var output, complaint bytes.Buffer
	command.Stdout, command.Stderr = &output, &complaint
	if err := command.Run(); err != nil {
		return output.String(), &CommandError{Arguments: command.Args, Output: complaint.String(), Err: err}
	}
	return output.String(), nil
}
