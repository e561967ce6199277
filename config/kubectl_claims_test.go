// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/eventually"
)

// claimed waits until the ConfigMap of claims contains a claim.
func (p person) claimed(t *testing.T, key, want string) {
	t.Helper()
	eventually.Succeeds(t, func() error {
		path := "{.data." + strings.ReplaceAll(key, ".", `\.`) + "}"
		out := p.kubectl(t, "", "get", "configmap/printmarket-claims", "--output=jsonpath="+path)
		if out.err != nil || out.stdout != want {
			return fmt.Errorf("%s is %q, want %q: %s", key, out.stdout, want, out.stderr)
		}
		return nil
	})
}

// refusesCreate waits until the policy rejects the creation of an object, without creating it, and returns the
// message. The policies read the ConfigMap from a cache.
func (p person) refusesCreate(t *testing.T, manifest string, want ...string) string {
	t.Helper()
	var message string
	eventually.Succeeds(t, func() error {
		out := p.kubectl(t, manifest, "create", "--dry-run=server", "--filename=-")
		if out.err == nil {
			return errors.New("the object is accepted")
		}
		message = out.stderr
		return nil
	})
	for _, part := range want {
		if !strings.Contains(message, part) {
			t.Errorf("refused with %q, want %q", message, part)
		}
	}
	return message
}

// removes runs the kubectl command of a message, and waits until the policy accepts the object.
func (p person) removes(t *testing.T, message, manifest string) {
	t.Helper()
	command := regexp.MustCompile(`kubectl patch configmap printmarket-claims --namespace (\S+) --type=json --patch='([^']+)'`).FindStringSubmatch(message)
	if command == nil || command[1] != p.namespace {
		t.Fatalf("the message %q has no command for the namespace %s", message, p.namespace)
	}
	p.must(t, "", "patch", "configmap", "printmarket-claims", "--type=json", "--patch="+command[2])
	eventually.Succeeds(t, func() error {
		if out := admin(p.namespace).kubectl(t, manifest, "create", "--dry-run=server", "--filename=-"); out.err != nil {
			return errors.New(out.stderr)
		}
		return nil
	})
}

func TestARolloutThatIsDeletedAndCreatedSkipsNoStage(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	release, administrator := as(t, namespace, "release-manager"), as(t, namespace, "platform-administrator")
	at := func(stage string) string { return strings.Replace(liveRollout, "stage: Live", "stage: "+stage, 1) }
	beta := strings.Replace(at("PrivateBeta"), "change:", "audience: {partners: [acme]}, change:", 1)

	// The first creation is free at any stage.
	release.mustApply(t, "helm", liveRollout)
	administrator.claimed(t, "stage.rfq-create", "Live")
	release.must(t, "", "delete", "cap/rfq-create")
	release.mustApply(t, "helm", liveRollout)
	release.must(t, "", "patch", "cap/rfq-create", "--type=merge", `--patch={"spec":{"stage":"Disabled","change":{"ticket":"REL-2"}}}`)
	administrator.claimed(t, "stage.rfq-create", "Disabled")
	release.must(t, "", "delete", "cap/rfq-create")

	release.refusesCreate(t, liveRollout, "the last stage of rfq-create was Disabled", "may have the stage Sandbox or a lower one, not Live", "promote one stage at a time")
	release.refusesCreate(t, beta, "may have the stage Sandbox or a lower one, not PrivateBeta")
	release.must(t, at("Sandbox"), "create", "--filename=-")
	administrator.claimed(t, "stage.rfq-create", "Sandbox")
	release.must(t, "", "delete", "cap/rfq-create")
	message := release.refusesCreate(t, liveRollout, "may have the stage PrivateBeta or a lower one, not Live")
	release.must(t, beta, "create", "--filename=-")
	administrator.claimed(t, "stage.rfq-create", "PrivateBeta")
	release.must(t, "", "delete", "cap/rfq-create")

	// A backup is restored.
	release.must(t, at("Disabled"), "create", "--filename=-")
	administrator.claimed(t, "stage.rfq-create", "Disabled")
	release.must(t, "", "delete", "cap/rfq-create")
	release.refusesCreate(t, liveRollout, "was Disabled")
	administrator.removes(t, message, liveRollout)
	release.must(t, liveRollout, "create", "--filename=-")
}

func TestAnOrganizationIsNotReusedByAnotherObject(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	control(t, namespace)
	operations, administrator := as(t, namespace, "partner-operations"), as(t, namespace, "platform-administrator")
	another := strings.Replace(partnerManifest, "name: acme}", "name: thief}", 1)
	operations.mustApply(t, "partners", partnerManifest)
	administrator.claimed(t, "organization.org_acme01", "acme")
	operations.refusesCreate(t, another, "spec.organizationID: org_acme01 belongs to the PartnerEntitlement acme")
	operations.must(t, "", "delete", "partner/acme")
	message := operations.refusesCreate(t, another, "Create the object with the name acme", "printmarket organizations erase org_acme01")

	// The same name, another organization and another namespace are free.
	operations.must(t, partnerManifest, "create", "--filename=-")
	operations.must(t, "", "delete", "partner/acme")
	operations.must(t, strings.Replace(another, "org_acme01", "org_other1", 1), "create", "--dry-run=server", "--filename=-")
	admin(plane.Namespace(t)).must(t, another, "create", "--filename=-")

	// The organization is erased.
	administrator.removes(t, message, another)
	operations.must(t, another, "create", "--filename=-")
	administrator.claimed(t, "organization.org_acme01", "thief")
	if out := operations.kubectl(t, "", "patch", "configmap", "printmarket-claims", "--type=merge", `--patch={"data":null}`); out.err == nil {
		t.Error("partner operations can remove claims")
	}
}

func TestARevokedKeyIsNeverAcceptedAgain(t *testing.T) {
	t.Parallel()
	namespace := withRoles(t)
	operations := as(t, namespace, "partner-operations")
	operations.mustApply(t, "partners", partnerManifest)
	revoke := []string{"patch", "partner/acme", "--type=json", `--patch=[{"op":"replace","path":"/spec/keys/0/state","value":"Revoked"}]`}
	remove := []string{"patch", "partner/acme", "--type=json", `--patch=[{"op":"remove","path":"/spec/keys/0"}]`}
	operations.must(t, "", revoke...)
	if out := operations.kubectl(t, "", remove...); out.err == nil || !strings.Contains(out.stderr, "wait until the controller has recorded the revocation") {
		t.Errorf("removing a revocation that is not recorded: %v, %q", out.err, out.stderr)
	}
	control(t, namespace)
	digest := strings.Repeat("0", 62) + "a1"
	operations.waits(t, `--for=jsonpath={.status.revokedKeys[0]}=`+digest, "partner/acme")
	operations.must(t, "", remove...)
	out := operations.kubectl(t, partnerManifest, "replace", "--filename=-")
	if out.err == nil || !strings.Contains(out.stderr, "was revoked for good") || strings.Contains(out.stderr, digest) {
		t.Errorf("replacing the partner by the onboarding file: %v, %q", out.err, out.stderr)
	}
	add := `--patch=[{"op":"add","path":"/spec/keys/-","value":{"name":"again","kind":"Live","sha256":"` + digest + `"}}]`
	if out := operations.kubectl(t, "", "patch", "partner/acme", "--type=json", add); out.err == nil || !strings.Contains(out.stderr, "was revoked for good") {
		t.Errorf("adding the digest with another name: %v, %q", out.err, out.stderr)
	}
	if got := operations.reads(t, "partner/acme", "{.spec.keys[*].name}"); got != "test" {
		t.Errorf("keys: %s, want the other key only", got)
	}

	// The revocation also outlives the partner, and binds other partners.
	administrator := as(t, namespace, "platform-administrator")
	administrator.claimed(t, "revoked", digest[48:])
	operations.must(t, "", "delete", "partner/acme")
	operations.refusesCreate(t, partnerManifest, "was revoked for good, in this, another or a deleted partner")
	another := strings.NewReplacer("name: acme}", "name: globex}", "org_acme01", "org_globex").Replace(partnerManifest)
	operations.refusesCreate(t, another, "was revoked for good")
	revoked := strings.Replace(partnerManifest, "sha256: "+digest, "state: Revoked, sha256: "+digest, 1)
	if revoked == partnerManifest {
		revoked = strings.Replace(partnerManifest, `sha256: "`+digest+`"`, `state: Revoked, sha256: "`+digest+`"`, 1)
	}
	operations.must(t, revoked, "create", "--dry-run=server", "--filename=-")

	// A full list of revoked keys is within the cost that the API server accepts.
	var full strings.Builder
	for i := range 7_700 {
		fmt.Fprintf(&full, "%016x ", 1_000_000+i)
	}
	admin(namespace).must(t, `{"data":{"revoked":"`+full.String()+`"}}`, "patch", "configmap", "printmarket-claims", "--type=merge", "--patch-file=/dev/stdin")
	operations.must(t, strings.Replace(partnerManifest, digest, strings.Repeat("e", 64), 1), "create", "--dry-run=server", "--filename=-")
}
