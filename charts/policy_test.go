// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/controlplane"
	"github.com/printmarket/printmarket/test/eventually"
)

// With the policy of the chart, release managers open capabilities with helm, users
// without the verb cannot open any with the same chart, and on-call closes them.
func policyHolds(t *testing.T, c *cluster) {
	c.must(t, "install", "market", platformChart, "--values="+valuesFile(t, origins), "--no-hooks")
	c.awaitKinds(t)
	c.apply(t, strings.ReplaceAll(peopleWithHelm, "NAMESPACE", c.namespace))
	release, onCall, author := c.NewUser(t, "release-of-"+c.namespace), c.NewUser(t, "oncall-of-"+c.namespace), c.NewUser(t, "author-of-"+c.namespace)
	c.awaitPolicy(t, author)

	sandbox := "--values=" + valuesFile(t, "capabilities: {rfq-create: {stage: Sandbox, change: {ticket: REL-1, approvedBy: erin}}}")
	private := "--values=" + valuesFile(t, "capabilities: {rfq-create: {stage: PrivateBeta, change: {ticket: REL-2, approvedBy: erin}, audience: {partners: [acme]}}}")
	if out := c.helmAs(t, release, "install", "capabilities", capabilitiesChart, sandbox); out.err != nil {
		t.Fatalf("a release manager installs: %s", out.stderr)
	}
	if out := c.helmAs(t, author, "upgrade", "capabilities", capabilitiesChart, private); out.err == nil || !strings.Contains(out.stderr, "spec.stage: changing Sandbox to PrivateBeta "+lacksRaise) {
		t.Errorf("an author raises: %v, %q", out.err, out.stderr)
	}
	if err := c.patchAs(t, onCall, `{"spec": {"killSwitch": {"state": "Engaged", "reason": "INC-1"}}}`); err != nil {
		t.Errorf("on-call engages: %v", err)
	}
	if err := c.patchAs(t, onCall, `{"spec": {"killSwitch": null}}`); err == nil || !strings.Contains(err.Error(), "spec.killSwitch: releasing it "+lacksRaise) {
		t.Errorf("on-call releases: %v", err)
	}
	if out := c.helmAs(t, release, "upgrade", "capabilities", capabilitiesChart, private); out.err != nil {
		t.Errorf("a release manager raises: %s", out.stderr)
	}
	c.isKilledAt(t, "PrivateBeta")
	if err := c.patchAs(t, release, `{"spec": {"killSwitch": null}}`); err != nil {
		t.Errorf("a release manager releases: %v", err)
	}
}

const lacksRaise = "needs the verb raise on capabilityrollouts/rfq-create"

// peopleWithHelm binds users to the chart's Roles, and an author to a Role that may change
// rollouts but has no verb of the policy. All users store releases in Secrets.
const peopleWithHelm = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: author}
rules: [{apiGroups: [marketplace.printmarket.dev], resources: [capabilityrollouts], verbs: [get, list, watch, create, update, patch, delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: releases}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get, list, watch, create, update, patch, delete]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: author}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: author}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: author-of-NAMESPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: release}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: printmarket-release-manager}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: release-of-NAMESPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: oncall}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: printmarket-on-call}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: oncall-of-NAMESPACE}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: releases}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: releases}
subjects:
  - {apiGroup: rbac.authorization.k8s.io, kind: User, name: author-of-NAMESPACE}
  - {apiGroup: rbac.authorization.k8s.io, kind: User, name: release-of-NAMESPACE}
`

// awaitPolicy waits until the server rejects an open rollout of a user who may
// create a closed one. Then both the Roles and the policy are in effect.
func (c *cluster) awaitPolicy(t *testing.T, author controlplane.User) {
	t.Helper()
	eventually.Succeeds(t, func() error {
		closed := strings.ReplaceAll(rollout, "preflight", "rfq-create")
		if err := c.dryRun(t, author, closed); err != nil {
			return err
		}
		if err := c.dryRun(t, author, strings.NewReplacer("Disabled", "Live", "REL-1", "REL-1, approvedBy: erin").Replace(closed)); err == nil || !strings.Contains(err.Error(), lacksRaise) {
			return fmt.Errorf("an open rollout is not refused yet: %v", err)
		}
		return nil
	})
}

func (c *cluster) dryRun(t *testing.T, user controlplane.User, manifest string) error {
	t.Helper()
	_, err := c.Plane.Plane.Kubectl(t.Context(), user, manifest, "--namespace="+c.namespace, "create", "--dry-run=server", "--filename=-")
	return err
}

func (c *cluster) patchAs(t *testing.T, user controlplane.User, patch string) error {
	t.Helper()
	_, err := c.Kubectl(t, user, "--namespace="+c.namespace, "patch", "cap", "rfq-create", "--type=merge", "--patch="+patch)
	return err
}

func (c *cluster) helmAs(t *testing.T, user controlplane.User, arguments ...string) commandOutput {
	t.Helper()
	return helm(t, append(arguments, "--namespace="+c.namespace, "--kubeconfig="+user.Kubeconfig())...)
}
