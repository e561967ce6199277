// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"errors"
	"net/url"
	"testing"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/controllers"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/webhook"
)

// withWorkers is the option of an installation with webhook workers.
func withWorkers(_ *ctrl.Options, o *controllers.Options) { o.WebhookService = workerService }

// deliveries is the rollout of webhook-delivery for acme.
func deliveries() *v1alpha1.CapabilityRollout {
	o := rollout("webhook-delivery")
	o.Spec.Stage, o.Spec.Audience = v1alpha1.StagePrivateBeta, &v1alpha1.Audience{Partners: []string{"acme"}}
	return o
}

// TestReadyMeansThatNoWebhookWorkerDeliversUnderTheOldState checks that every webhook worker decides by
// the applied object as soon as the object is Ready. The workers are not ready for traffic.
func TestReadyMeansThatNoWebhookWorkerDeliversUnderTheOldState(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	var workers []*webhook.PostureDirectory
	for _, address := range []string{"10.0.1.1", "10.0.1.2"} {
		f := s.follow(address, kubesource.Config{Rest: s.plane.Config(), Now: s.clock.Now, GateSecret: webhookName, Purpose: posture.ForWebhooks})
		s.create(workerSliceOf(address, "worker-"+address))
		workers = append(workers, webhook.NewPostureDirectory(func() *posture.Snapshot { return f.gates.Current(s.clock.Now()) }))
	}
	s.start(withWorkers)
	capability, acme := deliveries(), subscriber("acme", webhookOf("erp", "acme-events"))
	acme.Spec.Capabilities = append(acme.Spec.Capabilities, v1alpha1.CapabilityGrant{Name: "webhook-delivery"})
	s.create(capability, secret("acme-events", signing("a")), secret("acme-next", signing("b")), acme)
	s.ready(capability, "True/Enforced")
	s.ready(acme, "True/Enforced")

	erp := webhook.Address{Owner: tenant.ID{Organization: acme.Spec.OrganizationID, Mode: tenant.Live}, Name: "erp"}
	delivers := func(closed, path, value string) {
		t.Helper()
		for i, worker := range workers {
			endpoint, known := worker.Endpoint(erp, s.clock.Now())
			target, err := url.Parse(endpoint.URL)
			if err != nil || !known || endpoint.Closed != closed || target.Path != path || len(endpoint.Secrets) != 1 || endpoint.Secrets[0].Reveal() != value {
				t.Errorf("worker %d: known %t, closed %q, URL %q, %d secrets (%v)", i, known, endpoint.Closed, endpoint.URL, len(endpoint.Secrets), err)
			}
		}
	}
	delivers("", "/erp", signing("a"))
	for range 5 {
		s.edit(capability, func() {
			capability.Spec.KillSwitch = &v1alpha1.KillSwitch{State: v1alpha1.KillSwitchEngaged, Reason: "INC-1"}
		})
		s.ready(capability, "True/Killed")
		delivers("Killed", "/erp", signing("a"))
		s.edit(capability, func() { capability.Spec.KillSwitch = nil })
		s.ready(capability, "True/Enforced")
		delivers("", "/erp", signing("a"))

		s.edit(acme, func() {
			acme.Spec.Webhooks[0].URL = "https://partner.example/next"
			acme.Spec.Webhooks[0].Secrets[0].SecretRef.Name = "acme-next"
		})
		s.ready(acme, "True/Enforced")
		delivers("", "/next", signing("b"))
		s.edit(acme, func() { acme.Spec.Webhooks = []v1alpha1.Webhook{webhookOf("erp", "acme-events")} })
		s.ready(acme, "True/Enforced")
		delivers("", "/erp", signing("a"))
	}
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "True/Suspended")
	delivers("PartnerSuspended", "/erp", signing("a"))
	s.edit(acme, func() { acme.Spec.State, acme.Spec.Capabilities = v1alpha1.StateActive, acme.Spec.Capabilities[:1] })
	s.ready(acme, "True/Enforced")
	delivers("NotEntitled", "/erp", signing("a"))
	s.edit(acme, func() { acme.Spec.Webhooks = nil })
	s.ready(acme, "True/Enforced")
	for i, worker := range workers {
		if _, known := worker.Endpoint(erp, s.clock.Now()); known {
			t.Errorf("worker %d still delivers to a removed webhook", i)
		}
	}
}

func TestAnObjectWaitsForTheWebhookWorkersThatEnforceIt(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	worker := s.serveWorker("10.0.1.1", "worker-1")
	s.start(withWorkers)
	capability, other, acme := deliveries(), rollout("rfq-create"), partner("acme")
	s.create(capability, other, acme)
	s.ready(capability, "True/Enforced")
	worker.hold()
	s.edit(acme, func() { acme.Spec.State = v1alpha1.StateSuspended })
	s.ready(acme, "False/Progressing")
	s.edit(capability, func() { capability.Spec.Stage, capability.Spec.Change.Ticket = v1alpha1.StageDisabled, "REL-9" })
	s.ready(capability, "False/Progressing")
	// Workers do not decide by this object.
	s.edit(other, func() { other.Spec.Stage, other.Spec.Change.Ticket = v1alpha1.StageDisabled, "REL-9" })
	s.ready(other, "True/Enforced")
	worker.follow()
	s.ready(acme, "True/Suspended")
	s.ready(capability, "True/Enforced")
}

// TestAnInstallationWithoutWebhookWorkersBecomesReady covers zero replicas, for which the cluster
// writes an EndpointSlice without endpoints, and a Service that does not exist.
func TestAnInstallationWithoutWebhookWorkersBecomesReady(t *testing.T) {
	t.Parallel()
	s := newInstallation(t)
	s.start(withWorkers)
	acme, other := partner("acme"), rollout("rfq-create")
	s.create(acme, other)
	s.ready(acme, "False/ServiceNotFound")
	if err := errors.Join(is(acme, v1alpha1.ConditionPropagated, "False/ServiceNotFound"), is(acme, v1alpha1.ConditionReconciling, "True/ServiceNotFound")); err != nil {
		t.Error(err)
	}
	s.ready(other, "True/Enforced")
	none := workerSliceOf("10.0.1.1", "worker-1")
	none.Endpoints = nil
	s.create(none)
	s.ready(acme, "True/Enforced")
}
