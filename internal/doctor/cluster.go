// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
)

// Cluster examines the CustomResourceDefinitions, the controller and the objects of a cluster.
func Cluster(load func() (*rest.Config, string, error)) Examination {
	return Examination{Part: "cluster", Run: func(ctx context.Context) []Finding {
		config, namespace, err := load()
		if err != nil {
			return []Finding{Fail("reach", "Check the kubeconfig: kubectl auth whoami.", "%v", err)}
		}
		reader, err := kubesource.NewClient(config, v1alpha1.AddToScheme, apiextensionsv1.AddToScheme, coordinationv1.AddToScheme)
		if err != nil {
			return []Finding{Fail("reach", "Check the kubeconfig: kubectl auth whoami.", "%v", err)}
		}
		found := definitions(ctx, reader)
		if found.Check == "reach" {
			return []Finding{found}
		}
		now := time.Now()
		var clock Finding
		if date, err := clusterTime(ctx, config); err != nil {
			clock = Finding{Check: "clock", Severity: Skipped, Detail: "the time of kube-apiserver is unknown: " + err.Error()}
		} else {
			// The age of a Lease does not depend on the clock of this machine.
			clock, now = dated("kube-apiserver", date, now), date
		}
		return append([]Finding{found, clock, leader(ctx, reader, namespace, now)}, objects(ctx, reader, namespace)...)
	}}
}

// clusterTime returns the time of kube-apiserver, with a resolution of one second.
func clusterTime(ctx context.Context, config *rest.Config) (time.Time, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return time.Time{}, err
	}
	origin, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return time.Time{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, origin.JoinPath("version").String(), nil)
	if err != nil {
		return time.Time{}, err
	}
	response, err := client.Do(request)
	if err != nil {
		return time.Time{}, err
	}
	_ = response.Body.Close()
	return http.ParseTime(response.Header.Get("Date"))
}

const (
	unreachable = "Check the context and whether kube-apiserver responds: kubectl config current-context, kubectl get --raw=/readyz."
	install     = "Install them: kubectl apply --server-side -k config/crd, or the chart."
)

// definitions compares the CRDs of the cluster with the CRDs of this program. The finding is reach if
// kube-apiserver does not respond.
func definitions(ctx context.Context, reader *kubesource.Client) Finding {
	files, err := fs.ReadDir(config.FS, config.CRDDir)
	if err != nil {
		return Fail("definitions", "", "%v", err)
	}
	var other []string
	for _, file := range files {
		same, err := sameDefinition(ctx, reader, path.Join(config.CRDDir, file.Name()))
		if apierrors.IsForbidden(err) {
			return Finding{Check: "definitions", Severity: Skipped, Detail: "you are not allowed to read them: " + err.Error()}
		}
		if apierrors.IsNotFound(err) {
			return Fail("definitions", install, "%v", err)
		}
		if err != nil {
			return Fail("reach", unreachable, "%v", err)
		}
		if !same {
			other = append(other, strings.TrimSuffix(file.Name(), ".yaml"))
		}
	}
	if len(other) > 0 {
		return Warn("definitions", "Upgrade them with the chart, before or together with the servers: unknown fields are dropped or rejected.", "%s differ from those of this program", strings.Join(other, ", "))
	}
	return Passed("definitions", "%d, all equal to those of this program", len(files))
}

func sameDefinition(ctx context.Context, reader *kubesource.Client, file string) (bool, error) {
	text, err := fs.ReadFile(config.FS, file)
	if err != nil {
		return false, err
	}
	var want, got apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &want); err != nil {
		return false, err
	}
	if err := reader.Get(ctx, apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"), types.NamespacedName{Name: want.Name}, &got); err != nil {
		return false, err
	}
	return len(got.Spec.Versions) == len(want.Spec.Versions) &&
		equality.Semantic.DeepEqual(got.Spec.Versions[0].Schema, want.Spec.Versions[0].Schema), nil
}

// leaseName is the Lease of the leading controller.
const leaseName = "printmarket-controller"

const noLeader = "Until a controller leads, each status describes the past, and rotated secrets do not reach the servers: kubectl logs deploy/printmarket-controller."

// leader checks that a controller leads: only the leader updates the status of objects and the gate
// Secrets.
func leader(ctx context.Context, reader *kubesource.Client, namespace string, now time.Time) Finding {
	var lease coordinationv1.Lease
	err := reader.Get(ctx, coordinationv1.SchemeGroupVersion.WithResource("leases"), types.NamespacedName{Namespace: namespace, Name: leaseName}, &lease)
	switch {
	case apierrors.IsForbidden(err):
		return Finding{Check: "controller", Severity: Skipped, Detail: "you are not allowed to read its Lease: " + err.Error()}
	case apierrors.IsNotFound(err):
		return Fail("controller", noLeader, "no controller has led in this namespace: the Lease %s does not exist", leaseName)
	case err != nil:
		return Fail("controller", unreachable, "%v", err)
	}
	return leading(lease.Spec, now)
}

func leading(lease coordinationv1.LeaseSpec, now time.Time) Finding {
	if lease.HolderIdentity == nil || *lease.HolderIdentity == "" || lease.RenewTime == nil || lease.LeaseDurationSeconds == nil {
		return Fail("controller", noLeader, "no controller is leading: the Lease %s has no holder", leaseName)
	}
	if age, limit := now.Sub(lease.RenewTime.Time), 2*time.Duration(*lease.LeaseDurationSeconds)*time.Second; age > limit {
		return Fail("controller", noLeader, "no controller is leading: the Lease %s was renewed %s ago, limit %s", leaseName, age.Round(time.Second), limit)
	}
	return Passed("controller", "a controller is leading")
}

// maxObjects limits the examined objects of a kind.
const maxObjects = 500

// objects counts the objects that are not ready, names some, and finds faulty parts of the others and
// grants without a rollout.
func objects(ctx context.Context, reader *kubesource.Client, namespace string) []Finding {
	var found []Finding
	var partners v1alpha1.PartnerEntitlementList
	var rollouts v1alpha1.CapabilityRolloutList
	var senders v1alpha1.XJMFSenderList
	var profiles v1alpha1.PreflightProfileList
	read := true
	for _, kind := range []struct {
		name string
		list runtime.Object
	}{
		{"partnerentitlements", &partners}, {"capabilityrollouts", &rollouts}, {"xjmfsenders", &senders}, {"preflightprofiles", &profiles},
	} {
		if err := reader.List(ctx, v1alpha1.GroupVersion.WithResource(kind.name), namespace, maxObjects, kind.list); err != nil {
			fix := unreachable
			switch {
			case apierrors.IsForbidden(err):
				fix = "Grant get and list on the four kinds: bind the Role printmarket-viewer."
			case apierrors.IsNotFound(err):
				fix = install
			}
			found = append(found, Fail(kind.name, fix, "%v", err))
			read = false
			continue
		}
		found = append(found, readyObjects(kind.name, kind.list))
	}
	if read {
		found = append(found, faultyParts(&partners, &rollouts, &senders), grantedRollouts(partners.Items, rollouts.Items), ending(partners.Items, rollouts.Items, senders.Items, time.Now()))
	}
	return found
}

// ending names what ends within two weeks, the next end first. It names at most maxNamed ends.
func ending(partners []v1alpha1.PartnerEntitlement, rollouts []v1alpha1.CapabilityRollout, senders []v1alpha1.XJMFSender, now time.Time) Finding {
	const maxNamed = 20
	type namedEnd struct {
		posture.End
		object string
	}
	var soon []namedEnd
	add := func(object string, ends []posture.End) {
		for _, e := range ends {
			if e.Soon(now) {
				soon = append(soon, namedEnd{e, object})
			}
		}
	}
	for i := range partners {
		add(partners[i].Name, posture.PartnerEnds(&partners[i]))
	}
	for i := range rollouts {
		add(rollouts[i].Name, posture.RolloutEnds(&rollouts[i]))
	}
	for i := range senders {
		add(senders[i].Name, posture.SenderEnds(&senders[i]))
	}
	if len(soon) == 0 {
		return Passed("ends", "no key, certificate, secret, contract, grant or schedule ends within 14 days")
	}
	slices.SortStableFunc(soon, func(a, b namedEnd) int { return a.At.Compare(b.At) })
	var named []string
	for _, e := range soon {
		named = append(named, fmt.Sprintf("%s of %s on %s", e, e.object, e.At.UTC().Format(time.DateOnly)))
	}
	return Warn("ends", "Rotate keys with printmarket keys rotate; edit the end of the others.", "%d end within 14 days: %s", len(soon), posture.FirstNames(named, maxNamed))
}

// grantedRollouts finds capabilities that partners hold grants for and that have no rollout, for example
// because it was deleted. They are closed for everyone.
func grantedRollouts(partners []v1alpha1.PartnerEntitlement, rollouts []v1alpha1.CapabilityRollout) Finding {
	granted := map[string]int{}
	for i := range partners {
		for _, grant := range partners[i].Spec.Capabilities {
			granted[string(grant.Name)]++
		}
	}
	for i := range rollouts {
		delete(granted, string(rollouts[i].Spec.Capability))
	}
	if len(granted) == 0 {
		return Passed("grants", "every granted capability has a rollout")
	}
	var missing []string
	for _, capability := range slices.Sorted(maps.Keys(granted)) {
		missing = append(missing, fmt.Sprintf("%s (%d partners)", capability, granted[capability]))
	}
	return Warn("grants", "A capability without a rollout is closed for everyone. If its rollout was deleted by mistake, apply it again; otherwise remove the grants.",
		"partners have grants for capabilities without a CapabilityRollout: %s", strings.Join(missing, ", "))
}

// maxNamed limits the objects that a finding names.
const maxNamed = 5

func readyObjects(kind string, list runtime.Object) Finding {
	total, unready := 0, []string{}
	// The visitor returns no error, and the lists are lists.
	_ = apimeta.EachListItem(list, func(object runtime.Object) error {
		total++
		meta, conditions := conditionsOf(object)
		name, ready := meta.Name, apimeta.FindStatusCondition(conditions, v1alpha1.ConditionReady)
		if ready == nil {
			unready = append(unready, name+" (no status)")
		} else if ready.ObservedGeneration != meta.Generation {
			unready = append(unready, fmt.Sprintf("%s (its status describes generation %d of %d)", name, ready.ObservedGeneration, meta.Generation))
		} else if ready.Status != metav1.ConditionTrue {
			unready = append(unready, fmt.Sprintf("%s (%s)", name, ready.Reason))
		}
		return nil
	})
	if len(unready) == 0 {
		return Passed(kind, "%d, all ready", total)
	}
	return Warn(kind, "Their conditions show why: kubectl describe "+kind+". If they have no status, or that of an older generation, no controller is leading.", "%d of %d are not ready: %s", len(unready), total, posture.FirstNames(unready, maxNamed))
}

// partConditions are False while a part of an object does not work, although the object is ready.
var partConditions = []string{
	v1alpha1.ConditionAudienceResolved, v1alpha1.ConditionKeysUnique, v1alpha1.ConditionCertificatesPinned, v1alpha1.ConditionWebhooksReady,
	v1alpha1.ConditionProfilesResolved, v1alpha1.ConditionSecretsResolved, v1alpha1.ConditionPartnerGranted,
}

// faultyParts finds parts of ready objects that do not work, such as a webhook whose Secret is missing.
func faultyParts(lists ...runtime.Object) Finding {
	var faulty []string
	for _, list := range lists {
		// The visitor returns no error, and the lists are lists.
		_ = apimeta.EachListItem(list, func(object runtime.Object) error {
			meta, conditions := conditionsOf(object)
			for _, c := range conditions {
				if c.Status == metav1.ConditionFalse && slices.Contains(partConditions, c.Type) && apimeta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady) {
					faulty = append(faulty, fmt.Sprintf("%s (%s: %s)", meta.Name, c.Type, c.Reason))
				}
			}
			return nil
		})
	}
	if len(faulty) == 0 {
		return Passed("parts", "no condition reports a faulty part of a ready object")
	}
	return Warn("parts", "The message of each condition names the part and the fix: kubectl describe the object.", "parts of ready objects do not work: %s", posture.FirstNames(faulty, maxNamed))
}

func conditionsOf(object runtime.Object) (meta metav1.ObjectMeta, conditions []metav1.Condition) {
	switch o := object.(type) {
	case *v1alpha1.PartnerEntitlement:
		return o.ObjectMeta, o.Status.Conditions
	case *v1alpha1.CapabilityRollout:
		return o.ObjectMeta, o.Status.Conditions
	case *v1alpha1.XJMFSender:
		return o.ObjectMeta, o.Status.Conditions
	case *v1alpha1.PreflightProfile:
		return o.ObjectMeta, o.Status.Conditions
	default:
		return meta, nil
	}
}
