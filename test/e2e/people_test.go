// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"

	"github.com/printmarket/printmarket/test/kubetest"
)

var update = flag.Bool("update", false, "write the golden files")

// samples is the directory of the sample objects. samplesInForce is the table of the samples that
// the tests of config read without replicas.
const (
	samples        = root + "/config/samples/"
	samplesInForce = root + "/config/testdata/get-samples.txt"
)

// people lists the Roles for users that the chart creates, with the column of each in the matrix.
// The test binds each Role to a user of the same name.
var people = []struct{ role, column string }{
	{"viewer", "viewer"},
	{"on-call", "on-call"},
	{"release-manager", "release"},
	{"partner-operations", "partners"},
	{"platform-administrator", "platform"},
}

// bindPeople binds each Role to its user, and waits until kube-apiserver authorizes by the
// binding.
func (p *platform) bindPeople() {
	p.Helper()
	reviewer := p.reviewer()
	for _, one := range people {
		p.kubectl("", "create", "rolebinding", one.role, "--role=printmarket-"+one.role, "--user="+one.role)
		reviewer.AwaitRole(p, one.role)
	}
}

func (p *platform) reviewer() kubetest.Reviewer {
	p.Helper()
	config, err := cluster.Config()
	p.must(err)
	return kubetest.NewReviewer(p, config, p.namespace)
}

// as runs kubectl as a user of the given Role.
func (p *platform) as(role, input string, arguments ...string) string {
	p.Helper()
	return p.kubectl(input, append([]string{"--as=" + role}, arguments...)...)
}

// rights compares the granted rights with the matrix. It covers all service accounts of the
// namespace, so that an additional one is detected.
func (p *platform) rights() {
	var subjects []kubetest.Subject
	accounts := p.kubectl("", "get", "serviceaccounts", "--output=jsonpath={.items[*].metadata.name}")
	for _, account := range strings.Fields(accounts) {
		subjects = append(subjects, kubetest.Subject{
			Column: strings.TrimPrefix(account, "printmarket-"), User: kubetest.ServiceAccount(p.namespace, account),
		})
	}
	for _, one := range people {
		subjects = append(subjects, kubetest.Subject{Column: one.column, User: one.role})
	}
	subjects = append(subjects, kubetest.Subject{Column: "nobody", User: "nobody"})
	kubetest.Golden(p, "testdata/can-i.txt", p.reviewer().Matrix(p, subjects), *update)
}

// samples applies each file as the responsible user. The tables must equal those of the
// controllers alone, and every object must be enforced by both replicas.
func (p *platform) samples() {
	p.as("partner-operations", "", "create", "--filename="+samples+"secrets")
	p.as("partner-operations", "", "apply", "--server-side", "--filename="+samples+"profiles")
	// One of the partners has the package Platform.
	p.as("platform-administrator", "", "apply", "--server-side", "--filename="+samples+"partners", "--filename="+samples+"senders")
	p.as("release-manager", "", "apply", "--server-side", "--filename="+samples+"rollouts")
	p.as("viewer", "", "wait", "printmarket", "--all", "--for=condition=Ready", "--timeout=60s")

	want, err := os.ReadFile(filepath.Clean(samplesInForce))
	p.must(err)
	var got kubetest.Transcript
	for _, command := range kubetest.Commands(string(want)) {
		got.Add(command, kubetest.WithoutAges(p.as("viewer", "", strings.Fields(command)[1:]...)))
	}
	kubetest.Golden(p, samplesInForce, got.String(), false)

	reasons := p.as("viewer", "", "get", "printmarket",
		`--output=jsonpath={range .items[*]}{.status.conditions[?(@.type=="Propagated")].reason}{"\n"}{end}`)
	if want := strings.Repeat("AllReplicas\n", strings.Count(reasons, "\n")); reasons != want || want == "" {
		p.Errorf("reasons of Propagated: %q, want AllReplicas for each object", reasons)
	}

	// Remove the samples for the next step.
	p.as("release-manager", "", "delete", "cap", "--all")
	p.as("partner-operations", "", "delete", "partner,profile,sender", "--all")
	p.kubectl("", "delete", "--filename="+samples+"secrets")
}
