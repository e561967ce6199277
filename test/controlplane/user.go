// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// User is a user with a client certificate. It has only the rights of the roles that are
// bound to its name and groups.
type User struct {
	// Name is the user's name in Kubernetes.
	Name       string
	config     *rest.Config
	kubeconfig string
}

// users numbers the kubeconfig files, because user names may contain any character.
type users struct {
	mu    sync.Mutex
	count int
}

func (u *users) next() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count++
	return u.count
}

// User creates credentials for a name and groups. Users with the same name and groups have the
// same rights.
func (p *Plane) User(name string, groups ...string) (User, error) {
	signed, err := p.authority.Sign(Identity{Name: name, Groups: groups})
	if err != nil {
		return User{}, err
	}
	u := User{
		Name: name,
		config: &rest.Config{
			Host: "https://" + p.Address(),
			TLSClientConfig: rest.TLSClientConfig{
				CAData: p.authority.Certificate(), CertData: signed.Certificate, KeyData: signed.Key,
			},
			// Disable client-go's limit of five requests per second.
			QPS: -1,
		},
		kubeconfig: p.path("kubeconfig-" + strconv.Itoa(p.users.next())),
	}
	if err := writeKubeconfig(u.kubeconfig, u.config); err != nil {
		return User{}, fmt.Errorf("kubeconfig of %s: %w", name, err)
	}
	return u, nil
}

// Config returns a copy that the caller may change.
func (u User) Config() *rest.Config { return rest.CopyConfig(u.config) }

// Kubeconfig returns the path of the user's kubeconfig, which exists until the plane is closed.
func (u User) Kubeconfig() string { return u.kubeconfig }

func writeKubeconfig(path string, config *rest.Config) error {
	const name = "default"
	return clientcmd.WriteToFile(clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{name: {
			Server: config.Host, CertificateAuthorityData: config.CAData,
		}},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{name: {
			ClientCertificateData: config.CertData, ClientKeyData: config.KeyData,
		}},
		Contexts:       map[string]*clientcmdapi.Context{name: {Cluster: name, AuthInfo: name}},
		CurrentContext: name,
	}, path)
}

// KubectlError is the error of a failed kubectl.
type KubectlError struct {
	Arguments []string
	// Output is the standard error of kubectl.
	Output string
	Err    error
}

func (e *KubectlError) Error() string {
	return fmt.Sprintf("kubectl %s: %v: %s", strings.Join(e.Arguments, " "), e.Err, strings.TrimSpace(e.Output))
}

func (e *KubectlError) Unwrap() error { return e.Err }

// Kubectl runs kubectl as a user, with input as its standard input, and returns
// its standard output. Its error is a *[KubectlError].
func (p *Plane) Kubectl(ctx context.Context, user User, input string, arguments ...string) (string, error) {
	all := append([]string{"--kubeconfig=" + user.kubeconfig, "--cache-dir=" + p.path("kubectl")}, arguments...)
	command := exec.CommandContext(ctx, p.options.Assets.program("kubectl"), all...)
	// Ignore the caller's kubeconfig and kuberc.
	command.Env = append(os.Environ(), "HOME="+p.directory, "KUBECONFIG=", "KUBERC=off")
	command.Stdin = strings.NewReader(input)
	var output, complaint bytes.Buffer
	command.Stdout, command.Stderr = &output, &complaint
	if err := command.Run(); err != nil {
		return output.String(), &KubectlError{Arguments: arguments, Output: complaint.String(), Err: err}
	}
	return output.String(), nil
}
