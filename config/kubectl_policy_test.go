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
	"github.com/printmarket/printmarket/test/kubectl"
)

// request is a request of a user about the rollout rfq-create, or about the rollout
// that it names.
type request struct {
	// verb is create, delete, update (the whole object), merge, json (patches),
	// status (a merge patch of the subresource) or apply, by another manager and
	// by force.
	verb string
	// body is the spec for create, the whole object's changes for merge, status,
	// update and apply, and a list of operations for json.
	body string
}

// people are the subjects of the table, by what they are called in it, with the
// rules that they have in the namespace beside the Roles of config/rbac.
var people = map[string]struct {
	role  string // of config/rbac
	rules []rbacv1.PolicyRule
}{
	"the release manager": {role: "release-manager"},
	"on-call":             {role: "on-call"},
	"the controller":      {rules: rules("capabilityrollouts/status", "patch")},
	// An author has the usual verbs of a plain kind, and neither custom verb.
	"an author":             {rules: append(rules("capabilityrollouts", "get", "create", "update", "patch", "delete"), rules("capabilityrollouts/status", "patch")...)},
	"the garbage collector": {rules: rules("*", "get", "update", "patch", "delete")},
	"a pipeline":            {rules: rules("capabilityrollouts", "get", "create", "patch", "raise")},
	"the manager of preflight": {rules: append(rules("capabilityrollouts", "get", "create", "patch"),
		rbacv1.PolicyRule{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{"capabilityrollouts"}, Verbs: []string{"raise"}, ResourceNames: []string{"preflight"}})},
	"who may do anything": {rules: rules("*", "*")},
}

func rules(resource string, verbs ...string) []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{APIGroups: []string{v1alpha1.GroupName}, Resources: []string{resource}, Verbs: verbs}}
}

const (
	closedSpec   = `{capability: rfq-create, stage: Disabled, change: {ticket: REL-1}}`
	sandboxSpec  = `{capability: rfq-create, stage: Sandbox, change: {ticket: REL-1}}`
	liveSpec     = `{capability: rfq-create, stage: Live, change: {ticket: REL-1}}`
	narrowSpec   = `{capability: rfq-create, stage: Live, change: {ticket: REL-1}, audience: {partners: [acme], excluded: [globex]}}`
	rampSpec     = `{capability: rfq-create, stage: Live, change: {ticket: REL-1}, schedule: {notAfter: "2028-01-01T00:00:00Z", ramp: [{at: "2027-01-01T00:00:00Z", percent: 10}]}}`
	engagedSpec  = `{capability: rfq-create, stage: Live, change: {ticket: REL-1}, killSwitch: {state: Engaged, reason: INC-1}}`
	releasedSpec = `{capability: rfq-create, stage: Live, change: {ticket: REL-1}, killSwitch: {state: Released, reason: INC-1}}`

	engage       = `{spec: {killSwitch: {state: Engaged, reason: INC-1}}}`
	promote      = `{spec: {stage: PrivateBeta, change: {ticket: REL-2}, audience: {partners: [acme]}}}`
	needsRaise   = "needs the verb raise on capabilityrollouts/rfq-create in the namespace"
	needsEngage  = "needs the verb engage on capabilityrollouts/rfq-create in the namespace"
	needsEither  = "needs the verb update or raise on capabilityrollouts/rfq-create in the namespace"
	askRelease   = "lacks: ask a release manager"
	askOnCall    = "lacks: ask the person on call"
	neitherOfThe = "has neither: ask a release manager"
)

// judgements are who wants what of a rollout, and what the answer says. The last
// request is judged, those before it are allowed.
var judgements = map[string]struct {
	who, base string
	requests  []request
	// refused are parts of the message; with none the request is allowed.
	refused []string
}{
	"a release manager creates an open rollout":             {"the release manager", "", []request{{"create", liveSpec}}, nil},
	"a release manager raises a stage":                      {"the release manager", sandboxSpec, []request{{"merge", promote}}, nil},
	"a release manager raises a stage by an apply":          {"the release manager", closedSpec, []request{{"apply", `{spec: {capability: rfq-create, stage: Sandbox, change: {ticket: REL-2}}}`}}, nil},
	"a release manager takes the schedule away":             {"the release manager", rampSpec, []request{{"merge", `{spec: {schedule: null}}`}}, nil},
	"a release manager widens the audience":                 {"the release manager", narrowSpec, []request{{"merge", `{spec: {audience: {partners: [acme, stark]}}}`}}, nil},
	"a release manager engages the kill switch":             {"the release manager", liveSpec, []request{{"merge", engage}}, nil},
	"a release manager releases the kill switch":            {"the release manager", engagedSpec, []request{{"merge", `{spec: {killSwitch: null}}`}}, nil},
	"a release manager says that it is released":            {"the release manager", engagedSpec, []request{{"merge", `{spec: {killSwitch: {state: Released}}}`}}, nil},
	"a release manager deletes a rollout and makes it open": {"the release manager", engagedSpec, []request{{"delete", ""}, {"create", liveSpec}}, nil},
	"a user with all verbs opens a capability":              {"who may do anything", closedSpec, []request{{"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2}}}`}}, nil},
	"on-call engages by a patch":                            {"on-call", liveSpec, []request{{"merge", engage}}, nil},
	"on-call engages by an apply":                           {"on-call", liveSpec, []request{{"apply", engage}}, nil},
	"on-call engages what was released before":              {"on-call", releasedSpec, []request{{"merge", engage}}, nil},
	"on-call gives another reason":                          {"on-call", engagedSpec, []request{{"merge", `{spec: {killSwitch: {reason: "INC-1, INC-2"}}}`}}, nil},
	"on-call changes nothing":                               {"on-call", engagedSpec, []request{{"merge", engage}}, nil},
	"on-call engages and raises at once":                    {"on-call", sandboxSpec, []request{{"merge", `{spec: {stage: PrivateBeta, change: {ticket: REL-2}, audience: {partners: [acme]}, killSwitch: {state: Engaged, reason: INC-1}}}`}}, []string{"spec.stage: changing Sandbox to PrivateBeta", needsRaise, askRelease}},
	"on-call engages and widens the audience at once":       {"on-call", narrowSpec, []request{{"merge", `{spec: {audience: {partners: [acme, stark]}, killSwitch: {state: Engaged, reason: INC-1}}}`}}, []string{"spec.audience", needsRaise, askRelease}},
	"on-call engages and leaves a note in a label":          {"on-call", liveSpec, []request{{"merge", `{metadata: {labels: {incident: INC-1}}, spec: {killSwitch: {state: Engaged, reason: INC-1}}}`}}, []string{"metadata: changing labels", needsEither, neitherOfThe}},
	"on-call releases by saying so":                         {"on-call", engagedSpec, []request{{"merge", `{spec: {killSwitch: {state: Released}}}`}}, []string{"spec.killSwitch: releasing it", needsRaise, askRelease}},
	"on-call releases by taking the field away":             {"on-call", engagedSpec, []request{{"merge", `{spec: {killSwitch: null}}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call releases by an operation on the field":         {"on-call", engagedSpec, []request{{"json", `[{"op": "remove", "path": "/spec/killSwitch"}]`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call releases what on-call has engaged":             {"on-call", liveSpec, []request{{"apply", engage}, {"apply", `{}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call words the reason of a released switch":         {"on-call", releasedSpec, []request{{"merge", `{spec: {killSwitch: {reason: over}}}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"on-call raises by a patch":                             {"on-call", sandboxSpec, []request{{"merge", promote}}, []string{"spec.stage: changing Sandbox to PrivateBeta", needsRaise, askRelease}},
	"on-call raises by an operation on the field":           {"on-call", closedSpec, []request{{"json", `[{"op": "replace", "path": "/spec/stage", "value": "Sandbox"}, {"op": "replace", "path": "/spec/change/ticket", "value": "REL-2"}]`}}, []string{"spec.stage: changing Disabled to Sandbox", needsRaise}},
	"on-call raises by an apply with another manager":       {"on-call", sandboxSpec, []request{{"apply", promote}}, []string{"spec.stage: changing Sandbox to PrivateBeta", needsRaise}},
	"on-call lowers a stage":                                {"on-call", liveSpec, []request{{"merge", `{spec: {stage: Disabled, change: {ticket: INC-1}}}`}}, []string{"spec.stage: changing Live to Disabled", needsRaise}},
	"on-call says who approved":                             {"on-call", liveSpec, []request{{"merge", `{spec: {change: {approvedBy: mallory}}}`}}, []string{"spec.change", needsRaise}},
	"on-call gives the rollout an owner that there is not":  {"on-call", liveSpec, []request{{"merge", `{metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: 0d1e4cb6-0c5c-4f58-9d2d-7a6e4d2e4c11}]}}`}}, []string{"metadata: changing labels, annotations, finalizers or owners", needsEither}},
	"on-call keeps the rollout by a finalizer":              {"on-call", liveSpec, []request{{"merge", `{metadata: {finalizers: [example.com/keep]}}`}}, []string{"metadata: changing labels", needsEither}},
	"on-call makes a rollout":                               {"on-call", "", []request{{"create", closedSpec}}, []string{`cannot create resource "capabilityrollouts"`}},
	"on-call deletes a rollout":                             {"on-call", engagedSpec, []request{{"delete", ""}}, []string{`cannot delete resource "capabilityrollouts"`}},
	"an author creates a closed rollout":                    {"an author", "", []request{{"create", closedSpec}}, nil},
	"an author creates one that is open for test keys":      {"an author", "", []request{{"create", sandboxSpec}}, []string{"spec.stage: creating a rollout with the stage Sandbox", needsRaise, askRelease, "or create it with the stage Disabled"}},
	"an author creates one that opens later":                {"an author", "", []request{{"create", rampSpec}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author creates one that is open but killed":         {"an author", "", []request{{"create", engagedSpec}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author creates one by an apply":                     {"an author", "", []request{{"apply", `{spec: ` + liveSpec + `}`}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author deletes a rollout, which closes it":          {"an author", engagedSpec, []request{{"delete", ""}}, nil},
	"an author deletes a rollout and makes it higher":       {"an author", sandboxSpec, []request{{"delete", ""}, {"create", liveSpec}}, []string{"spec.stage: creating a rollout with the stage Live", needsRaise}},
	"an author deletes a rollout and raises a closed one":   {"an author", sandboxSpec, []request{{"delete", ""}, {"create", closedSpec}, {"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2}}}`}}, []string{"spec.stage: changing Disabled to Sandbox", needsRaise}},
	"an author takes the schedule away":                     {"an author", rampSpec, []request{{"merge", `{spec: {schedule: null}}`}}, []string{"spec.schedule", needsRaise, askRelease}},
	"an author moves the end":                               {"an author", rampSpec, []request{{"merge", `{spec: {schedule: {notAfter: "2029-01-01T00:00:00Z"}}}`}}, []string{"spec.schedule", needsRaise}},
	"an author raises the percentage":                       {"an author", rampSpec, []request{{"merge", `{spec: {schedule: {ramp: [{at: "2027-01-01T00:00:00Z", percent: 100}]}}}`}}, []string{"spec.schedule", needsRaise}},
	"an author gives a schedule where there was none":       {"an author", liveSpec, []request{{"merge", `{spec: {schedule: {notBefore: "2027-01-01T00:00:00Z"}}}`}}, []string{"spec.schedule", needsRaise}},
	"an author takes the audience away":                     {"an author", narrowSpec, []request{{"merge", `{spec: {audience: null}}`}}, []string{"spec.audience", needsRaise, askRelease}},
	"an author lets in whom the audience leaves out":        {"an author", narrowSpec, []request{{"merge", `{spec: {audience: {excluded: null}}}`}}, []string{"spec.audience", needsRaise}},
	"an author adds a label to the audience":                {"an author", narrowSpec, []request{{"merge", `{spec: {audience: {selector: {matchExpressions: [{key: tier, operator: Exists}]}}}}`}}, []string{"spec.audience", needsRaise}},
	"an author replaces the object by a wider one":          {"an author", narrowSpec, []request{{"update", `{spec: ` + liveSpec + `}`}}, []string{"spec.audience", needsRaise}},
	"an author engages the kill switch":                     {"an author", liveSpec, []request{{"merge", engage}}, []string{"spec.killSwitch: engaging it", needsEngage, askOnCall}},
	"an author releases by replacing the object":            {"an author", engagedSpec, []request{{"update", `{spec: ` + liveSpec + `}`}}, []string{"spec.killSwitch: releasing it", needsRaise}},
	"an author labels a rollout":                            {"an author", liveSpec, []request{{"merge", `{metadata: {labels: {team: prepress}}}`}}, nil},
	"an author changes no spec by the status":               {"an author", sandboxSpec, []request{{"status", `{spec: {stage: Live, change: {ticket: REL-2}}, status: {effectiveStage: Sandbox}}`}}, nil},
	"the controller writes the status":                      {"the controller", liveSpec, []request{{"status", `{status: {effectiveStage: Live}}`}}, nil},
	"the garbage collector takes a finalizer away":          {"the garbage collector", closedSpec, []request{{"merge", `{metadata: {finalizers: [foregroundDeletion]}}`}, {"merge", `{metadata: {finalizers: null}}`}}, nil},
	"the garbage collector deletes a rollout":               {"the garbage collector", liveSpec, []request{{"delete", ""}}, nil},
	"a pipeline creates, raises and labels":                 {"a pipeline", "", []request{{"create", sandboxSpec}, {"merge", promote}, {"merge", `{metadata: {labels: {release: "2"}}}`}}, nil},
	"a pipeline without the verb engages":                   {"a pipeline", liveSpec, []request{{"merge", engage}}, []string{"spec.killSwitch: engaging it", needsEngage}},
	"the verb for one capability does not open another one": {"the manager of preflight", closedSpec, []request{{"merge", `{spec: {stage: Sandbox, change: {ticket: REL-2}}}`}}, []string{"spec.stage: changing Disabled to Sandbox", needsRaise}},
}

func TestPolicySeparatesOpeningFromClosingRollouts(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	for name, test := range judgements {
		t.Run(name, func(t *testing.T) {
			prepare(t, namespace, "rfq-create", test.base)
			last := len(test.requests) - 1
			for _, before := range test.requests[:last] {
				if err := before.send(t, clients[test.who], namespace, "rfq-create"); err != nil {
					t.Fatalf("%s before it: %v", before.verb, err)
				}
			}
			spec := specOf(t, namespace)
			err := test.requests[last].send(t, clients[test.who], namespace, "rfq-create")
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
			if diff := cmp.Diff(spec, specOf(t, namespace)); diff != "" {
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
	if err := (request{"create", spec}).send(t, clients["the manager of preflight"], namespace, "preflight"); err != nil {
		t.Errorf("send preflight: %v", err)
	}
}

func TestTheStatusSubresourceNeitherNeedsAVerbNorChangesASpec(t *testing.T) {
	t.Parallel()
	namespace, clients := guarded(t)
	prepare(t, namespace, "rfq-create", sandboxSpec)
	before := specOf(t, namespace)
	patch := request{"status", `{spec: {stage: PrivateBeta, change: {ticket: REL-2}, audience: {partners: [acme]}}, status: {effectiveStage: Sandbox}}`}
	if err := patch.send(t, clients["the controller"], namespace, "rfq-create"); err != nil {
		t.Fatalf("patch.send rfq-create: %v", err)
	}
	if diff := cmp.Diff(before, specOf(t, namespace)); diff != "" {
		t.Errorf("the status changed the spec (-before +after):\n%s", diff)
	}
	if got := admin(namespace).reads(t, "cap/rfq-create", "{.status.effectiveStage}"); got != "Sandbox" {
		t.Errorf("the status is %q, want Sandbox", got)
	}
}

// A field that the policy does not know would be open to every user who may
// patch.
func TestThePolicyGuardsEveryFieldOfASpec(t *testing.T) {
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
func TestTheClusterRolesOfThePolicyGrantItsVerbsAndNothingElse(t *testing.T) {
	t.Parallel()
	namespace, _ := guarded(t)
	ask := reviewer(t, namespace)
	for role, want := range map[string][]string{
		"printmarket-raise-capabilities":   {"raise", "engage"},
		"printmarket-engage-kill-switches": {"engage"},
	} {
		user := role + "-of-" + namespace
		grant(t, namespace, user, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role})
		rollouts := kubectl.Target{Group: v1alpha1.GroupName, Resource: "capabilityrollouts"}
		eventually.Succeeds(t, func() error {
			if !ask.Allows(t, user, "engage", rollouts) {
				return fmt.Errorf("%s is not bound yet", role)
			}
			return nil
		})
		var got []string
		for _, verb := range kubectl.Verbs() {
			if ask.Allows(t, user, verb, rollouts) {
				got = append(got, verb)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", role, diff)
		}
	}
}

// guarded is a namespace with the Roles for people, in which the policy is in
// force, and the clients of the people there. The policy is that of config/policy; its binding is limited to the
// namespace, because tests that run beside it have no verbs.
func guarded(t *testing.T) (string, map[string]client.Client) {
	t.Helper()
	namespace := withRoles(t)
	var manifests []string
	for document := range strings.SplitSeq(kustomize(t, "policy"), "\n---\n") {
		if !strings.Contains(document, "\nkind: ValidatingAdmissionPolicyBinding\n") {
			manifests = append(manifests, document)
			continue
		}
		var binding map[string]any
		decode(t, []byte(document), &binding)
		binding["metadata"] = map[string]any{"name": "printmarket-in-" + namespace}
		binding["spec"].(map[string]any)["matchResources"] = map[string]any{
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": namespace}},
		}
		text, err := yaml.Marshal(binding)
		if err != nil {
			t.Fatalf("yaml.Marshal: %v", err)
		}
		manifests = append(manifests, string(text))
	}
	admin(namespace).must(t, strings.Join(manifests, "\n---\n"), "apply", "--server-side", "--warnings-as-errors", "--filename=-")
	clients := map[string]client.Client{}
	for name := range people {
		clients[name] = personCalled(t, namespace, name)
	}
	eventually.Succeeds(t, func() error {
		err := clients["an author"].Create(t.Context(), rolloutOf(t, namespace, "rfq-create", `{spec: `+sandboxSpec+`}`), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "printmarket-capabilityrollouts") {
			return fmt.Errorf("the policy is not in force yet: %v", err)
		}
		return nil
	})
	return namespace, clients
}

// personCalled is the client of one of the people, once the server knows of its
// rights.
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
		if !ask.Allows(t, user, verb, kubectl.Target{Group: v1alpha1.GroupName, Resource: resource}) {
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

// prepare has the administrator put the rollout there, or see that it is not.
func prepare(t *testing.T, namespace, name, spec string) {
	t.Helper()
	if err := client.IgnoreNotFound(plane.Client(t).Delete(t.Context(), rolloutOf(t, namespace, name, `{}`))); err != nil {
		t.Fatalf("client.IgnoreNotFound: %v", err)
	}
	if spec == "" {
		return
	}
	if err := plane.Client(t).Create(t.Context(), rolloutOf(t, namespace, name, `{spec: `+spec+`}`)); err != nil {
		t.Fatalf("Create: %v", err)
	}
}

// specOf is the spec of rfq-create, or nothing.
func specOf(t *testing.T, namespace string) map[string]any {
	t.Helper()
	object := rolloutOf(t, namespace, "rfq-create", `{}`)
	if err := client.IgnoreNotFound(plane.Client(t).Get(t.Context(), client.ObjectKeyFromObject(object), object)); err != nil {
		t.Fatalf("client.IgnoreNotFound: %v", err)
	}
	spec, _, err := unstructured.NestedMap(object.Object, "spec")
	if err != nil {
		t.Fatalf("unstructured.NestedMap spec: %v", err)
	}
	return spec
}

// rolloutOf is a rollout with a name and a text that has the rest of it.
func rolloutOf(t *testing.T, namespace, name, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	decode(t, []byte(text), &object.Object)
	if object.Object == nil {
		object.Object = map[string]any{}
	}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(v1alpha1.KindCapabilityRollout))
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// send sends the request about a rollout.
func (r request) send(t *testing.T, c client.Client, namespace, name string) error {
	t.Helper()
	object := rolloutOf(t, namespace, name, `{}`)
	switch r.verb {
	case "create":
		return c.Create(t.Context(), rolloutOf(t, namespace, name, `{spec: `+r.body+`}`))
	case "delete":
		return c.Delete(t.Context(), object)
	case "update":
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(object), object); err != nil {
			return err
		}
		object.Object["spec"] = rolloutOf(t, namespace, name, r.body).Object["spec"]
		return c.Update(t.Context(), object)
	case "apply":
		return c.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(rolloutOf(t, namespace, name, r.body)), client.FieldOwner("another"), client.ForceOwnership)
	case "json":
		return c.Patch(t.Context(), object, client.RawPatch(types.JSONPatchType, []byte(r.body)))
	case "merge":
		return c.Patch(t.Context(), object, mergePatch(t, r.body))
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
