// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
	"github.com/printmarket/printmarket/internal/posture/explain"
	"github.com/printmarket/printmarket/internal/telemetry"
)

// postureWorld is what is judged, and what of it could not be read.
type postureWorld struct {
	inputs posture.Inputs
	// unread are the names of Secrets that the user may not read.
	unread []string
}

// prober answers questions about a world.
type prober struct {
	*explain.Prober
	world postureWorld
}

func newProber(world postureWorld) *prober { return &prober{explain.New(world.inputs), world} }

// read finds the world: a directory of manifests, or the cluster.
func (o *postureOptions) read(ctx context.Context) (postureWorld, error) {
	if o.from != "" {
		return readDirectory(ctx, o.from, o.now())
	}
	return o.readCluster(ctx)
}

func readDirectory(ctx context.Context, dir string, now time.Time) (postureWorld, error) {
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return postureWorld{}, err
	}
	inputs, err := admission.Read(ctx, dir, now)
	return postureWorld{inputs: inputs}, err
}

// readCluster reads what API servers read, but for their gate Secret, which is
// nobody else's: the Secrets of senders take its place where the user may read
// them.
func (o *postureOptions) readCluster(ctx context.Context) (postureWorld, error) {
	config, namespace, err := o.load(telemetry.Discard())
	if err != nil {
		return postureWorld{}, err
	}
	cluster, err := newKubeClient(config, v1alpha1.AddToScheme, corev1.AddToScheme)
	if err != nil {
		return postureWorld{}, err
	}
	world, err := listPosture(ctx, cluster, namespace)
	if err != nil {
		return postureWorld{}, fmt.Errorf("read the cluster: %w", err)
	}
	return world, world.readSecrets(ctx, cluster, o.now())
}

func listPosture(ctx context.Context, cluster *kubeClient, namespace string) (postureWorld, error) {
	var rollouts v1alpha1.CapabilityRolloutList
	var partners v1alpha1.PartnerEntitlementList
	var senders v1alpha1.XJMFSenderList
	for _, kind := range []struct {
		resource string
		list     runtime.Object
	}{{"capabilityrollouts", &rollouts}, {"partnerentitlements", &partners}, {"xjmfsenders", &senders}} {
		if err := cluster.list(ctx, v1alpha1.GroupVersion.WithResource(kind.resource), namespace, 0, kind.list); err != nil {
			return postureWorld{}, err
		}
	}
	return postureWorld{inputs: posture.Inputs{Rollouts: rollouts.Items, Partners: partners.Items, Senders: senders.Items}}, nil
}

// readSecrets reads the Secrets that senders and webhooks name. One that the user may not read
// is noted; one that is not there is judged as the controller would.
func (w *postureWorld) readSecrets(ctx context.Context, cluster *kubeClient, now time.Time) error {
	var found []posture.SecretData
	for _, name := range posture.ReferredSecrets(w.inputs.Senders, w.inputs.Partners) {
		var secret corev1.Secret
		err := cluster.get(ctx, corev1.SchemeGroupVersion.WithResource("secrets"), types.NamespacedName(name), &secret)
		switch {
		case apierrors.IsForbidden(err):
			w.unread = append(w.unread, name.Name)
		case apierrors.IsNotFound(err):
		case err != nil:
			return fmt.Errorf("read the cluster: %w", err)
		default:
			data := make(map[string]credential.Secret, len(secret.Data))
			for key, value := range secret.Data {
				data[key] = credential.Secret(value)
			}
			found = append(found, posture.SecretData{Namespace: name.Namespace, Name: name.Name, Data: data})
		}
	}
	w.inputs.ResolveSecrets(found, now)
	return nil
}

// unknown says what cannot be told, in sentences.
func (w *postureWorld) unknown() []string {
	if len(w.unread) == 0 {
		return nil
	}
	return []string{fmt.Sprintf(
		"your rights do not reach these Secrets: %s. Whether callbacks of their senders are accepted, and webhooks signed, is unknown; everything else is judged in full.",
		strings.Join(w.unread, ", "))}
}

// reasonUnread stands where a condition would blame a Secret that was not read.
const reasonUnread = "SecretUnread"

// forgetUnread takes back what a report says for want of a Secret, and the
// revision, which depends on its value.
func (w *postureWorld) forgetUnread(report *posture.Report) {
	if len(w.unread) == 0 {
		return
	}
	report.Revision = ""
	affected := map[posture.ObjectName]bool{}
	for i := range w.inputs.Senders {
		o := &w.inputs.Senders[i]
		affected[posture.ObjectName{Namespace: o.Namespace, Name: o.Name}] = w.isUnread(o.Spec.Secrets)
	}
	for i := range report.Senders {
		if r := &report.Senders[i]; affected[posture.ObjectName{Namespace: r.Namespace, Name: r.Name}] {
			r.ActiveSecrets = nil
			blameRights(r.Conditions)
		}
	}
	clear(affected)
	for i := range w.inputs.Partners {
		o := &w.inputs.Partners[i]
		affected[posture.ObjectName{Namespace: o.Namespace, Name: o.Name}] = slices.ContainsFunc(o.Spec.Webhooks,
			func(h v1alpha1.Webhook) bool { return w.isUnread(h.Secrets) })
	}
	for i := range report.Partners {
		if r := &report.Partners[i]; affected[posture.ObjectName{Namespace: r.Namespace, Name: r.Name}] {
			blameRights(r.Conditions)
		}
	}
}

// isUnread reports whether one of the secrets is in a Secret that was not read.
func (w *postureWorld) isUnread(secrets []v1alpha1.SharedSecret) bool {
	return slices.ContainsFunc(secrets, func(s v1alpha1.SharedSecret) bool { return slices.Contains(w.unread, s.SecretRef.Name) })
}

// blameRights turns over the conditions that blame a Secret.
func blameRights(conditions []posture.Condition) {
	for i := range conditions {
		if c := &conditions[i]; c.Reason == v1alpha1.ReasonSecretNotFound {
			c.Status, c.Reason, c.Message = "Unknown", reasonUnread, "The Secret may not be read with these rights."
		}
	}
}
