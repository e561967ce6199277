// SPDX-License-Identifier: Apache-2.0

package platformapi_test

import (
	"strings"
	"testing"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant/erasure"
	"github.com/printmarket/printmarket/test/apitest"
)

// erased is the part of an erasure that tests compare.
type erased struct {
	ID, State, PlannedBy, ConfirmedBy, EndedAt, AuditID, AuditHash string
	RemainingObjects                                               []string
	Counts                                                         []struct {
		Kind                                             string
		PlannedLive, PlannedTest, ErasedLive, ErasedTest int
	}
}

// rfqs returns the counts of RFQs: planned and erased, live and test.
func (e *erased) rfqs() [4]int {
	for _, count := range e.Counts {
		if count.Kind == string(erasure.RFQs) {
			return [4]int{count.PlannedLive, count.PlannedTest, count.ErasedLive, count.ErasedTest}
		}
	}
	return [4]int{}
}

const erasures = "/organizations/org_acme01/erasures"

func setState(server *apitest.Server, partner string, state v1alpha1.State) {
	server.Partner(partner, func(s *v1alpha1.PartnerEntitlementSpec) { s.State = state })
}

func TestAnOrganizationIsErasedInTwoSteps(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	create(t, server, "acme-live")
	create(t, server, "acme-test")
	other := create(t, server, "stark-live")
	var plan, confirmed, certificate erased
	post(t, server, "platform-live", erasures, reason).Want(t, 201, "").Into(t, &plan)
	if plan.State != "planned" || plan.rfqs() != [4]int{1, 1, 0, 0} || plan.PlannedBy == "" {
		t.Errorf("the plan is %+v, want one RFQ of each mode", plan)
	}
	get(t, server, "platform-reads", "/organizations/org_acme01/erasure").Want(t, 404, problem.CodeNotFound)
	post(t, server, "platform-live", erasures+"/"+plan.ID+"/confirm", reason).Want(t, 409, problem.CodeErasureConflict)

	setState(server, "acme", v1alpha1.StateSuspended)
	post(t, server, "platform-live", erasures+"/"+plan.ID+"/confirm", reason).Want(t, 202, "").Into(t, &confirmed)
	if confirmed.State != "erasing" || confirmed.AuditHash == "" {
		t.Errorf("the confirmed erasure is %+v, want erasing with an audit entry", confirmed)
	}
	post(t, server, "platform-live", erasures+"/"+plan.ID+"/confirm", reason).Want(t, 409, problem.CodeErasureConflict)
	server.Advance(erasure.Settling)
	if err := server.Erasures.Sweep(t.Context()); err != nil {
		t.Fatalf("w.Erasures.Sweep: %v", err)
	}
	get(t, server, "platform-reads", erasures+"/"+plan.ID).Want(t, 200, "").Into(t, &certificate)
	if certificate.State != "erased" || certificate.rfqs() != [4]int{1, 1, 1, 1} || certificate.EndedAt == "" || certificate.AuditID == confirmed.AuditID {
		t.Errorf("the certificate is %+v, want both RFQs and an audit entry of its own", certificate)
	}
	if objects := strings.Join(certificate.RemainingObjects, ","); !strings.Contains(objects, "PartnerEntitlement ") || !strings.Contains(objects, "XJMFSender ") {
		t.Errorf("remaining objects are %q, want the PartnerEntitlement and the XJMFSender", objects)
	}
	get(t, server, "platform-reads", "/organizations/org_acme01/erasure").Want(t, 200, "").Into(t, &confirmed)
	if confirmed.ID != plan.ID {
		t.Errorf("the latest erasure is %s, want %s", confirmed.ID, plan.ID)
	}
	if left := list(t, server, "platform-live", ""); len(left) != 1 || left[0].ID != other {
		t.Errorf("the RFQs left are %+v, want only %s of stark", left, other)
	}
	server.Do(t, apitest.Request{Method: "GET", Path: "/api/v1/rfq", Key: "acme-live"}).Want(t, 403, problem.CodePartnerSuspended)
}

func TestErasuresAreRefused(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	var plan erased
	post(t, server, "platform-live", erasures, reason).Want(t, 201, "").Into(t, &plan)
	setState(server, "acme", v1alpha1.StateSuspended)
	for name, tc := range map[string]struct {
		who, path, body string
		status          int
		code            problem.Code
	}{
		"a test key":                             {"platform-test", erasures, reason, 403, problem.CodeLiveKeyRequired},
		"a key that only reads":                  {"platform-reads", erasures, reason, 403, problem.CodeInsufficientScope},
		"the key of a partner":                   {"stark-live", erasures, reason, 403, problem.CodeInsufficientScope},
		"no reason":                              {"platform-live", erasures, `{}`, 422, problem.CodePlatformRequestInvalid},
		"an organization that is invalid":        {"platform-live", "/organizations/acme/erasures", reason, 400, problem.CodeInvalidRequest},
		"a plan of another organization":         {"platform-live", "/organizations/org_stark1/erasures/" + plan.ID + "/confirm", reason, 404, problem.CodeNotFound},
		"a plan that does not exist":             {"platform-live", erasures + "/ers_01KB0QXR80ZZZZZZZZZZZZZZZZ/confirm", reason, 404, problem.CodeNotFound},
		"the confirmation with a test key":       {"platform-test", erasures + "/" + plan.ID + "/confirm", reason, 403, problem.CodeLiveKeyRequired},
		"the organization of the operators' key": {"platform-live", "/organizations/org_market/erasures/" + plan.ID + "/confirm", reason, 404, problem.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) { post(t, server, tc.who, tc.path, tc.body).Want(t, tc.status, tc.code) })
	}
	var own erased
	post(t, server, "platform-live", "/organizations/org_market/erasures", reason).Want(t, 201, "").Into(t, &own)
	post(t, server, "platform-live", "/organizations/org_market/erasures/"+own.ID+"/confirm", reason).Want(t, 409, problem.CodeErasureConflict)
	server.Advance(erasure.PlanLifetime)
	post(t, server, "platform-live", erasures+"/"+plan.ID+"/confirm", reason).Want(t, 409, problem.CodeErasureConflict)
	var empty erased
	post(t, server, "platform-live", "/organizations/org_unknown/erasures", reason).Want(t, 201, "").Into(t, &empty)
	if empty.rfqs() != [4]int{} || len(empty.RemainingObjects) != 0 {
		t.Errorf("the plan of an unknown organization is %+v, want zero counts and no objects", empty)
	}
}
