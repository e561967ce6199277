// SPDX-License-Identifier: Apache-2.0

//go:build linux

package main_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"

	"github.com/printmarket/printmarket/test/kubectl"
)

var update = flag.Bool("update", false, "write the golden files")

// samples is the directory of the sample objects, and samplesInForce what the
// tests of config see of them where no replica runs.
const (
	samples        = root + "/config/samples/"
	samplesInForce = root + "/config/testdata/get-samples.txt"
)

// people are the Roles for people that the chart makes, each with a column of the
// matrix. A user of the Role's name has it.
var people = []struct{ role, column string }{
	{"viewer", "viewer"},
	{"on-call", "on-call"},
	{"release-manager", "release"},
	{"partner-operations", "partners"},
	{"platform-administrator", "platform"},
}

// bindPeople gives each Role to one user, and waits until that counts.
func (p *platform) bindPeople() {
	p.Helper()
	ask := p.reviewer()
	for _, one := range people {
		p.kubectl("", "create", "rolebinding", one.role, "--role=printmarket-"+one.role, "--user="+one.role)
		ask.AwaitRole(p, one.role)
	}
}

func (p *platform) reviewer() kubectl.Reviewer {
	p.Helper()
	config, err := cluster.Config()
	p.must(err)
	return kubectl.NewReviewer(p, config, p.namespace)
}

// as runs kubectl as a user with a Role for users.
func (p *platform) as(role, input string, arguments ...string) string {
	p.Helper()
	return p.kubectl(input, append([]string{"--as=" + role}, arguments...)...)
}

// rights compares what a cluster grants with the matrix. Its accounts are all that
// the namespace has, so that one more is seen.
func (p *platform) rights() {
	var subjects []kubectl.Subject
	accounts := p.kubectl("", "get", "serviceaccounts", "--output=jsonpath={.items[*].metadata.name}")
	for _, account := range strings.Fields(accounts) {
		subjects = append(subjects, kubectl.Subject{
			Column: strings.TrimPrefix(account, "printmarket-"), User: kubectl.ServiceAccount(p.namespace, account),
		})
	}
	for _, one := range people {
		subjects = append(subjects, kubectl.Subject{Column: one.column, User: one.role})
	}
	subjects = append(subjects, kubectl.Subject{Column: "nobody", User: "nobody"})
	kubectl.Golden(p, "testdata/can-i.txt", p.reviewer().Matrix(p, subjects), *update)
}

// samples has each file applied by whom it concerns. Then every table of the
// samples reads as where the controllers run alone, and here it is two replicas
// that enforce them.
func (p *platform) samples() {
	p.as("partner-operations", "", "create", "--filename="+samples+"secrets")
	// One of the partners has the package Platform.
	p.as("platform-administrator", "", "apply", "--server-side", "--filename="+samples+"partners", "--filename="+samples+"senders")
	p.as("release-manager", "", "apply", "--server-side", "--filename="+samples+"rollouts")
	p.as("viewer", "", "wait", "printmarket", "--all", "--for=condition=Ready", "--timeout=60s")

	want, err := os.ReadFile(filepath.Clean(samplesInForce))
	p.must(err)
	var got kubectl.Transcript
	for _, command := range kubectl.Commands(string(want)) {
		got.Add(command, kubectl.Ageless(p.as("viewer", "", strings.Fields(command)[1:]...)))
	}
	kubectl.Golden(p, samplesInForce, got.String(), false)

	reasons := p.as("viewer", "", "get", "printmarket",
		`--output=jsonpath={range .items[*]}{.status.conditions[?(@.type=="Propagated")].reason}{"\n"}{end}`)
	if want := strings.Repeat("AllReplicas\n", strings.Count(reasons, "\n")); reasons != want || want == "" {
		p.Errorf("propagated because of %q, want AllReplicas of all", reasons)
	}

	// As it was.
	p.as("release-manager", "", "delete", "cap", "--all")
	p.as("partner-operations", "", "delete", "partner,sender", "--all")
	p.kubectl("", "delete", "--filename="+samples+"secrets")
}
