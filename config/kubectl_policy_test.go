// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/kubetest"
)

// request is a request of a user about an object.
type request struct {
	// verb is create, delete, update (the whole object), merge, json (patches),
	// status (a merge patch of the subresource) or apply, by another manager and
	// by force.
	verb string
	// body is the spec for create, the whole object's changes for merge, status,
	// update and apply, and a list of operations for json.
	body string
}

// people maps the names of the table to users, with their rules in the namespace in addition
// to the Roles of config/rbac.
var people = map[string]struct {
	role  string // of config/rbac
	rules []rbacv1.PolicyRule
}{
	"the release manager": {role: "release-manager"},
	"on-call":             {role: "on-call"},
	"the controller":      {rules: rules("*/status", "patch")},
	// An author has the usual verbs of a plain kind, and neither custom verb.
	"an author":                  {rules: rules("*", "get", "create", "update", "patch", "delete")},
	"partner operations":         {role: "partner-operations"},
	"the platform administrator": {role: "platform-administrator"},
	"the garbage collector":      {rules: rules("*", "get", "update", "patch", "delete")},
	"a pipeline":                 {rules: rules("capabilityrollouts", "get", "create", "patch", "raise")},
	"the manager of preflight": {rules: append(rules("capabilityrollouts", "get", "create", "patch"),
		rbacv1.PolicyRule{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{"capabilityrollouts"}, Verbs: []string{"raise"}, ResourceNames: []string{"preflight"}})},
	"who may do anything": {rules: rules("*", "*")},
}

func rules(resource string, verbs ...string) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{resource}, Verbs: verbs}}
}

const (
	closedSpec   = `{capability: rfq-create, stage: Disabled, change: {ticket: REL-1, approvedBy: erin}}`
	sandboxSpec  = `{capability: rfq-create, stage: Sandbox, change: {ticket: REL-1, approvedBy: erin}}`
	liveSpec     = `{capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}}`
	narrowSpec   = `{capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}, audience: {partners: [acme], excluded: [globex]}}`
	rampSpec     = `{capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}, schedule: {notAfter: "2028-01-01T00:00:00Z", ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}]}}`
	engagedSpec  = `{capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}, killSwitch: {state: Engaged, reason: INC-1}}`
	releasedSpec = `{capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}, killSwitch: {state: Released, reason: INC-1}}`

	// themselves stands for the user name of the release manager, in other letters.
	themselves   = "THEMSELVES"
	aloneSpec    = `{capability: rfq-create, stage: Live, change: {ticket: REL-1}}`
	heldSpec     = `{capability: rfq-create, stage: Live, change: {ticket: REL-1, approvedBy: erin}, schedule: {notAfter: "2028-01-01T00:00:00Z", ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}]}, hold: {since: "2026-12-01T00:00:00Z", reason: INC-2}}`
	hold         = `{spec: {hold: {since: "2026-12-01T00:00:00Z", reason: INC-2}}}`
	engage       = `{spec: {killSwitch: {state: Engaged, reason: INC-1}}}`
	promote      = `{spec: {stage: PrivateBeta, change: {ticket: REL-2}, audience: {partners: [acme]}}}`
	needsRaise   = "needs the verb raise on capabilityrollouts/rfq-create in the namespace"
	needsEngage  = "needs the verb engage on capabilityrollouts/rfq-create in the namespace"
	needsEither  = "needs the verb update or raise on capabilityrollouts/rfq-create in the namespace"
	askRelease   = "lacks: ask a release manager"
	askOnCall    = "lacks: ask the person on call"
	neitherOfThe = "has neither: ask a release manager"
)

// judgement is a user's request about an object. The last request is judged, those
// before it are allowed.
type judgement struct {
	// who is one of the people; base is the spec of the object before, if there is one.
	who, base string
	requests  []request
	// refused lists parts of the message; empty if the request is allowed.
	refused []string
}

// rolloutJudgements lists cases for the rollout rfq-create.
var rolloutJudgements = map[string]judgement{
	"a release manager creates an open rollout":                  {"the release manager", "", []request{{"create", liveSpec}}, nil},
	"a release manager raises a stage":                           {"the release manager", sandboxSpec, []request{{"merge", promote}}, nil},
	"a release manager raises a stage by an apply":               {"the release manager", closedSpec, []request{{"apply", `{spec: {capability: rfq-create, stage: Sandbox, change: {ticket: REL-2}}}`}}, nil},
	"a release manager takes the schedule away":                  {"the release manager", rampSpec, []request{{"merge", `{spec: {schedule: null}}`}}, nil},
	"a release manager widens the audience":                      {"the release manager", narrowSpec, []request{{"merge", `{spec: {audience: {partners: [acme, stark]}}}`}}, nil},
	"a release manager engages the kill switch":                  {"the release manager", liveSpec, []request{{"merge", engage}}, nil},
	"a release manager releases the kill switch":                 {"the release manager", engagedSpec, []request{{"merge", `{spec: {killSwitch: null}}`}}, nil},
	"a release manager says that it is released":                 {"the release manager", engagedSpec, []request{{"merge", `{spec: {killSwitch: {state: Released}}}`}}, nil},
	"a release manager deletes a rollout and makes it open":      {"the release manager", engagedSpec, []request{{"delete", ""}, {"create", liveSpec}}, nil},
	"a user with all verbs opens a capability":                   {"who may do anything", closedSpec, []request{{"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2}}}`}}, nil},
	"on-call engages by a patch":                                 {"on-call", liveSpec, []request{{"merge", engage}}, nil},
	"on-call engages by an apply":                                {"on-call", liveSpec, []request{{"apply", engage}}, nil},
	"on-call engages a kill switch that was released before":     {"on-call", releasedSpec, []request{{"merge", engage}}, nil},
	"on-call gives another reason":                               {"on-call", engagedSpec, []request{{"merge", `{spec: {killSwitch: {reason: "INC-1, INC-2"}}}`}}, nil},
	"on-call changes nothing":                                    {"on-call", engagedSpec, []request{{"merge", engage}}, nil},
	"on-call engages and raises at once":                         {"on-call", sandboxSpec, []request{{"merge", `{spec: {stage: PrivateBeta, change: {ticket: REL-2}, audience: {partners: [acme]}, killSwitch: {state: Engaged, reason: INC-1}}}`}}, []string{"spec.stage: changing Sandbox to PrivateBeta", needsRaise, askRelease}},
	"on-call engages and widens the audience at once":            {"on-call", narrowSpec, []request{{"merge", `{spec: {audience: {partners: [acme, stark]}, killSwitch: {state: Engaged, reason: INC-1}}}`}}, []string{"spec.audience", needsRaise, askRelease}},
	"on-call engages and leaves a note in a label":               {"on-call", liveSpec, []request{{"merge", `{metadata: {labels: {incident: INC-1}}, spec: {killSwitch: {state: Engaged, reason: INC-1}}}`}}, []string{"metadata: changing labels", needsEither, neitherOfThe}},
	"on-call holds the schedule":                                 {"on-call", rampSpec, []request{{"merge", hold}}, nil},
	"on-call holds it from a later time":                         {"on-call", heldSpec, []request{{"merge", `{spec: {hold: {since: "2027-02-01T00:00:00Z"}}}`}}, []string{"spec.hold: adding a hold needs the verb engage", "changing or ending it needs the verb raise"}},
	"on-call ends a hold":                                        {"on-call", heldSpec, []request{{"merge", `{spec: {hold: null}}`}}, []string{"spec.hold: adding a hold", needsRaise}},
	"a release manager ends a hold":                              {"the release manager", heldSpec, []request{{"merge", `{spec: {hold: null}}`}}, nil},
	"on-call adds an analysis":                                   {"on-call", rampSpec, []request{{"merge", `{spec: {analysis: {queries: [{name: errors, promQL: "1", success: {atMost: "1"}}]}}}`}}, []string{"spec.analysis: changing it", needsRaise}},
	"on-call adds a dependency":                                  {"on-call", rampSpec, []request{{"merge", `{spec: {dependsOn: [rfq-read]}}`}}, []string{"spec.dependsOn: changing it", needsRaise}},
	"an author holds the schedule":                               {"an author", rampSpec, []request{{"merge", hold}}, []string{"spec.hold: adding a hold needs the verb engage"}},
	"on-call releases by saying so":                              {"on-call", engagedSpec, []request{{"merge", `{spec: {killSwitch: {state: Released}}}`}}, []string{"spec.killSwitch: releasing it", needsRaise, askRelease}},
	"on-call releases by taking the field away":                  {"on-call", engagedSpec, []request{{"merge", `{spec: {killSwitch: null}}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call releases by an operation on the field":              {"on-call", engagedSpec, []request{{"json", `[{"op": "remove", "path": "/spec/killSwitch"}]`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call releases what on-call has engaged":                  {"on-call", liveSpec, []request{{"apply", engage}, {"apply", `{}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call words the reason of a released switch":              {"on-call", releasedSpec, []request{{"merge", `{spec: {killSwitch: {reason: over}}}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call raises by a patch":                                  {"on-call", sandboxSpec, []request{{"merge", promote}}, []string{"spec.stage: changing Sandbox to PrivateBeta", needsRaise, askRelease}},
	"on-call raises by an operation on the field":                {"on-call", closedSpec, []request{{"json", `[{"op": "replace", "path": "/spec/stage", "value": "Sandbox"}, {"op": "replace", "path": "/spec/change/ticket", "value": "REL-2"}]`}}, []string{"spec.stage: changing Disabled to Sandbox", needsRaise}},
	"on-call raises by an apply with another manager":            {"on-call", sandboxSpec, []request{{"apply", promote}}, []string{"spec.stage: changing Sandbox to PrivateBeta", needsRaise}},
	"on-call lowers a stage":                                     {"on-call", liveSpec, []request{{"merge", `{spec: {stage: Disabled, change: {ticket: INC-1}}}`}}, []string{"spec.stage: changing Live to Disabled", needsRaise}},
	"on-call says who approved":                                  {"on-call", liveSpec, []request{{"merge", `{spec: {change: {approvedBy: mallory}}}`}}, []string{"spec.change", needsRaise}},
	"on-call gives the rollout an owner that there is not":       {"on-call", liveSpec, []request{{"merge", `{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 0d1e4cb6-0c5c-4f58-9d2d-7a6e4d2e4c11}]}}`}}, []string{"metadata: changing labels, annotations, finalizers or owners", needsEither}},
	"on-call keeps the rollout by a finalizer":                   {"on-call", liveSpec, []request{{"merge", `{metadata: {finalizers: [example.com/keep]}}`}}, []string{"metadata: changing labels", needsEither}},
	"on-call makes a rollout":                                    {"on-call", "", []request{{"create", closedSpec}}, []string{`cannot create resource "capabilityrollouts"`}},
	"on-call deletes a rollout":                                  {"on-call", engagedSpec, []request{{"delete", ""}}, []string{`cannot delete resource "capabilityrollouts"`}},
	"a release manager raises a stage that only they approved":   {"the release manager", sandboxSpec, []request{{"merge", `{spec: {stage: PrivateBeta, change: {ticket: REL-2, approvedBy: ` + themselves + `}, audience: {partners: [acme]}}}`}}, []string{"spec.change.approvedBy: raising Sandbox to PrivateBeta needs the approval of a person other than"}},
	"a release manager raises a stage that no person approved":   {"the release manager", sandboxSpec, []request{{"merge", `{spec: {stage: PrivateBeta, change: {ticket: REL-2, approvedBy: null}, audience: {partners: [acme]}}}`}}, []string{"spec.change.approvedBy: raising Sandbox to PrivateBeta", "name the person who approved REL-2"}},
	"a release manager creates an open rollout without approval": {"the release manager", "", []request{{"create", aloneSpec}}, []string{"spec.change.approvedBy: raising Disabled to Live"}},
	"a release manager lowers a stage without approval":          {"the release manager", liveSpec, []request{{"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2, approvedBy: null}}}`}}, nil},
	"an author creates a closed rollout":                         {"an author", "", []request{{"create", closedSpec}}, nil},
	"an author creates one that is open for test keys":           {"an author", "", []request{{"create", sandboxSpec}}, []string{"spec.stage: creating a rollout with the stage Sandbox", needsRaise, askRelease, "or create it with the stage Disabled"}},
	"an author creates one that opens later":                     {"an author", "", []request{{"create", rampSpec}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author creates one that is open but killed":              {"an author", "", []request{{"create", engagedSpec}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author creates one by an apply":                          {"an author", "", []request{{"apply", `{spec: ` + liveSpec + `}`}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author deletes a rollout, which closes it":               {"an author", engagedSpec, []request{{"delete", ""}}, nil},
	"an author deletes a rollout and makes it higher":            {"an author", sandboxSpec, []request{{"delete", ""}, {"create", liveSpec}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author deletes a rollout and raises a closed one":        {"an author", sandboxSpec, []request{{"delete", ""}, {"create", closedSpec}, {"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2}}}`}}, []string{"spec.stage: changing Disabled to Sandbox", needsRaise}},
	"an author takes the schedule away":                          {"an author", rampSpec, []request{{"merge", `{spec: {schedule: null}}`}}, []string{"spec.schedule", needsRaise, askRelease}},
	"an author moves the end":                                    {"an author", rampSpec, []request{{"merge", `{spec: {schedule: {notAfter: "2029-01-01T00:00:00Z"}}}`}}, []string{"spec.schedule", needsRaise}},
	"an author raises the percentage":                            {"an author", rampSpec, []request{{"merge", `{spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 100}]}}}`}}, []string{"spec.schedule", needsRaise}},
	"an author gives a schedule where there was none":            {"an author", liveSpec, []request{{"merge", `{spec: {schedule: {notBefore: "2027-01-01T00:00:00Z"}}}`}}, []string{"spec.schedule", needsRaise}},
	"an author takes the audience away":                          {"an author", narrowSpec, []request{{"merge", `{spec: {audience: null}}`}}, []string{"spec.audience", needsRaise, askRelease}},
	"an author lets in whom the audience leaves out":             {"an author", narrowSpec, []request{{"merge", `{spec: {audience: {excluded: null}}}`}}, []string{"spec.audience", needsRaise}},
	"an author adds a label to the audience":                     {"an author", narrowSpec, []request{{"merge", `{spec: {audience: {selector: {matchExpressions: [{key: tier, operator: Exists}]}}}}`}}, []string{"spec.audience", needsRaise}},
	"an author replaces the object by a wider one":               {"an author", narrowSpec, []request{{"update", `{spec: ` + liveSpec + `}`}}, []string{"spec.audience", needsRaise}},
	"an author engages the kill switch":                          {"an author", liveSpec, []request{{"merge", engage}}, []string{"spec.killSwitch: engaging it", needsEngage, askOnCall}},
	"an author releases by replacing the object":                 {"an author", engagedSpec, []request{{"update", `{spec: ` + liveSpec + `}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"an author labels a rollout":                                 {"an author", liveSpec, []request{{"merge", `{metadata: {labels: {team: prepress}}}`}}, nil},
	"an author changes no spec by the status":                    {"an author", sandboxSpec, []request{{"status", `{spec: {stage: Live, change: {ticket: REL-2}}, status: {effectiveStage: Sandbox}}`}}, nil},
	"the controller writes the status":                           {"the controller", liveSpec, []request{{"status", `{status: {effectiveStage: Live}}`}}, nil},
	"the garbage collector takes a finalizer away":               {"the garbage collector", closedSpec, []request{{"merge", `{metadata: {finalizers: [foregroundDeletion]}}`}, {"merge", `{metadata: {finalizers: null}}`}}, nil},
	"the garbage collector deletes a rollout":                    {"the garbage collector", liveSpec, []request{{"delete", ""}}, nil},
	"a pipeline creates, raises and labels":                      {"a pipeline", "", []request{{"create", sandboxSpec}, {"merge", promote}, {"merge", `{metadata: {labels: {release: "2"}}}`}}, nil},
	"a pipeline without the verb engages":                        {"a pipeline", liveSpec, []request{{"merge", engage}}, []string{"spec.killSwitch: engaging it", needsEngage}},
	"the verb for one capability does not open another one":      {"the manager of preflight", closedSpec, []request{{"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2}}}`}}, []string{"spec.stage: changing Disabled to Sandbox", needsRaise}},
}

func TestPolicySeparatesOpeningFromClosingRollouts(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	judge(t, target{v1alpha1.KindCapabilityRollout, namespace, "rfq-create"}, clients, rolloutJudgements)
}

// judge sends the requests of each judgement. A refused request changes nothing.
func judge(t *testing.T, o target, clients map[string]client.Client, judgements map[string]judgement) {
	t.Helper()
	for name, test := range judgements {
		t.Run(name, func(t *testing.T) {
			o.prepare(t, test.base)
			last := len(test.requests) - 1
			for _, before := range test.requests[:last] {
				if err := before.send(t, clients[test.who], o); err != nil {
					t.Fatalf("%s before it: %v", before.verb, err)
				}
			}
			spec := o.spec(t)
			err := test.requests[last].send(t, clients[test.who], o)
			if len(test.refused) == 0 {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			for _, want := range test.refused {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v, want a refusal that says %q", err, want)
				}
			}
			if diff := cmp.Diff(spec, o.spec(t)); diff != "" {
				t.Errorf("it was refused and has changed (-before +after):\n%s", diff)
			}
		})
	}
}

// A verb can be limited to some capabilities, as any other.
func TestAVerbForOneCapabilityOpensThatOne(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	spec := strings.ReplaceAll(sandboxSpec, "rfq-create", "preflight")
	if err := (request{"create", spec}).send(t, clients["the manager of preflight"], target{v1alpha1.KindCapabilityRollout, namespace, "preflight"}); err != nil {
		t.Errorf("send: %v", err)
	}
}

func TestTheStatusSubresourceNeitherNeedsAVerbNorChangesASpec(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	rollout := target{v1alpha1.KindCapabilityRollout, namespace, "rfq-create"}
	rollout.prepare(t, sandboxSpec)
	before := rollout.spec(t)
	patch := request{"status", `{spec: {stage: PrivateBeta, change: {ticket: REL-2}, audience: {partners: [acme]}}, status: {effectiveStage: Sandbox}}`}
	if err := patch.send(t, clients["the controller"], rollout); err != nil {
		t.Fatalf("patch.send: %v", err)
	}
	if diff := cmp.Diff(before, rollout.spec(t)); diff != "" {
		t.Errorf("the status changed the spec (-before +after):\n%s", diff)
	}
	if got := admin(namespace).reads(t, "cap/rfq-create", "{.status.effectiveStage}"); got != "Sandbox" {
		t.Errorf("the status is %q, want Sandbox", got)
	}
}

// Every user with the verb patch could change a field that the policy does not cover.
func TestThePolicyGuardsEveryFieldOfARollout(t *testing.T) {
	t.Parallel()
	policy := source(t, "config/policy/rollouts.yaml")
	var definition apiextensionsv1.CustomResourceDefinition
	decode(t, []byte(source(t, "config/crd/bases/marketplace.printmarket.dev_capabilityrollouts.yaml")), &definition)
	fields := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties
	if len(fields) < 5 {
		t.Fatalf("fields: %v", fields)
	}
	for field := range fields {
		if field == "capability" {
			continue // which never changes
		}
		required, optional := "object.spec."+field+" == oldObject.spec."+field, "object.spec.?"+field+" == oldObject.spec.?"+field
		if !strings.Contains(policy, required) && !strings.Contains(policy, optional) {
			t.Errorf("spec.%s is not guarded", field)
		}
	}
}

// The ClusterRoles are for custom roles, and can-i reports the verbs that they
// grant.
func TestClusterRolesOfThePolicyGrantOnlyItsVerbs(t *testing.T) {
	t.Parallel()
	namespace, _ := guarded(t)
	ask := reviewer(t, namespace)
	for role, want := range map[string][]string{
		"printmarket-raise-capabilities":       {"raise capabilityrollouts", "engage capabilityrollouts"},
		"printmarket-engage-kill-switches":     {"engage capabilityrollouts"},
		"printmarket-mint-access":              {"mint partnerentitlements", "mint xjmfsenders"},
		"printmarket-change-platform-partners": {"platform partnerentitlements"},
	} {
		user := role + "-of-" + namespace
		grant(t, namespace, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role})
		eventually.Succeeds(t, func() error {
			verb, resource, _ := strings.Cut(want[0], " ")
			if !ask.Allows(t, user, verb, kubetest.Target{Group: v1alpha1.GroupName, Resource: resource}) {
				return fmt.Errorf("%s is not bound yet", role)
			}
			return nil
		})
		var got []string
		for _, resource := range []string{"capabilityrollouts", "partnerentitlements", "xjmfsenders"} {
			for _, verb := range kubetest.Verbs() {
				if ask.Allows(t, user, verb, kubetest.Target{Group: v1alpha1.GroupName, Resource: resource}) {
					got = append(got, verb+" "+resource)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
}

// guarded is a namespace with the Roles for people, in which the policies are in force,
// and the clients of the people there.
func guarded(t *testing.T) (string, map[string]client.Client) {
	t.Helper()
	namespace := withRoles(t)
	clients := map[string]client.Client{}
	for name := range people {
		clients[name] = personCalled(t, namespace, name)
	}
	for _, probe := range []struct {
		who, policy string
		object      target
		spec        string
	}{
		{"an author", "printmarket-capabilityrollouts", target{v1alpha1.KindCapabilityRollout, namespace, "rfq-create"}, sandboxSpec},
		{"the release manager", "printmarket-approvals", target{v1alpha1.KindCapabilityRollout, namespace, "rfq-create"}, aloneSpec},
		{"an author", "printmarket-partnerentitlements", target{v1alpha1.KindPartnerEntitlement, namespace, "acme"}, acmeSpec},
		{"an author", "printmarket-xjmfsenders", target{v1alpha1.KindXJMFSender, namespace, "acme"}, senderSpec},
		{"partner operations", "printmarket-changes", target{v1alpha1.KindXJMFSender, namespace, "acme"}, senderSpec + inTheNameOfErin},
	} {
		eventually.Succeeds(t, func() error {
			err := clients[probe.who].Create(t.Context(), probe.object.with(t, `{spec: `+probe.spec+`}`), client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), probe.policy) {
				return fmt.Errorf("%s is not in force yet: %v", probe.policy, err)
			}
			return nil
		})
	}
	return namespace, clients
}

// personCalled returns the client of one of the people, once the API server has applied
// its permissions.
func personCalled(t *testing.T, namespace, name string) client.Client {
	t.Helper()
	p := people[name]
	user := strings.ReplaceAll(name, " ", "-") + "-of-" + namespace
	ref, verb, resource := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "printmarket-" + p.role}, "get", "capabilityrollouts"
	if p.role == "" {
		ref.Name = user
		verb, resource = p.rules[0].Verbs[0], p.rules[0].Resources[0]
		if err := plane.Client(t).Create(t.Context(), &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user}, Rules: p.rules}); err != nil {
			t.Fatalf("Create: %v", err)
		}
	}
	grant(t, namespace, user, ref)
	ask := reviewer(t, namespace)
	eventually.Succeeds(t, func() error {
		if !ask.Allows(t, user, verb, kubetest.Target{Group: v1alpha1.GroupName, Resource: resource}) {
			return fmt.Errorf("%s has no rights yet", name)
		}
		return nil
	})
	return plane.ClientOf(t, plane.NewUser(t, user))
}

// grant binds a role to a user in a namespace.
func grant(t *testing.T, namespace, user string, role rbacv1.RoleRef) {
	t.Helper()
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: user}, RoleRef: role,
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if err := plane.Client(t).Create(t.Context(), binding); err != nil {
		t.Fatalf("Create: %v", err)
	}
}

// target is an object that requests are about.
type target struct{ kind, namespace, name string }

// prepare has the administrator create the object with a spec, or delete it if the spec
// is empty.
func (o target) prepare(t *testing.T, spec string) {
	t.Helper()
	if err := client.IgnoreNotFound(plane.Client(t).Delete(t.Context(), o.with(t, `{}`))); err != nil {
		t.Fatalf("delete %v: %v", o, err)
	}
	if spec == "" {
		return
	}
	if err := plane.Client(t).Create(t.Context(), o.with(t, `{spec: `+spec+`}`)); err != nil {
		t.Fatalf("create %v: %v", o, err)
	}
}

// spec returns the spec of the object, or nothing.
func (o target) spec(t *testing.T) map[string]any {
	t.Helper()
	object := o.with(t, `{}`)
	if err := client.IgnoreNotFound(plane.Client(t).Get(t.Context(), client.ObjectKeyFromObject(object), object)); err != nil {
		t.Fatalf("get %v: %v", o, err)
	}
	spec, _, err := unstructured.NestedMap(object.Object, "spec")
	if err != nil {
		t.Fatalf("spec of %v: %v", o, err)
	}
	return spec
}

// with returns the object with a text that has the rest of it.
func (o target) with(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	decode(t, []byte(text), &object.Object)
	if object.Object == nil {
		object.Object = map[string]any{}
	}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(o.kind))
	object.SetNamespace(o.namespace)
	object.SetName(o.name)
	return object
}

// send sends the request about an object.
func (r request) send(t *testing.T, c client.Client, o target) error {
	t.Helper()
	object := o.with(t, `{}`)
	switch r.verb {
	case "create":
		return c.Create(t.Context(), o.with(t, `{spec: `+r.body+`}`))
	case "delete":
		return c.Delete(t.Context(), object)
	case "update":
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		object.Object["spec"] = o.with(t, r.body).Object["spec"]
		return c.Update(t.Context(), object)
	case "apply":
		return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(o.with(t, r.body)), client.FieldOwner("another"), client.ForceOwnership)
	case "json":
		return c.Patch(t.Context(), object, client.RawPatch(types.JSONPatchType, []byte(r.body)))
	case "merge":
		users := strings.NewReplacer(themselves, "The-release-manager-of-"+o.namespace, "ON-CALL", "on-call-of-"+o.namespace)
		return c.Patch(t.Context(), object, mergePatch(t, users.Replace(r.body)))
	case "status":
		return c.Status().Patch(t.Context(), object, mergePatch(t, r.body))
	}
	t.Fatalf("%q is no verb of this test", r.verb)
	return nil
}

func mergePatch(t *testing.T, text string) client.Patch {
	t.Helper()
	body, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("yaml.YAMLToJSON: %v", err)
	}
	return client.RawPatch(types.MergePatchType, body)
}
