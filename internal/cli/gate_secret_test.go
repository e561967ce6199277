// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"strings"
	"testing"
)

// A replica that has taken the gate Secret once stays in service without it.
func (p *platform) withoutGateSecret(t *testing.T) {
	p.order("controller", "stop")
	p.kubectl("delete", "secret", "printmarket-gate-api")
	p.until("the check reports the missing Secret", func() error { return p.readiness(200, `"posture":"ok"`, "printmarket-gate-api: not found") })
	if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
		t.Error(err)
	}
	a := p.get(p.env["OPS_URL"] + "/metrics")
	for _, metric := range []string{"secret_fault 1\n", "secret_heartbeat_age_seconds ", "live_read_failing_seconds 0\n"} {
		if !strings.Contains(string(a.Body), "\nprintmarket_gate_"+metric) {
			t.Errorf("no metric printmarket_gate_%s", metric)
		}
	}
	p.order("controller", "start")
	p.until("the controller has written it again", func() error { return p.readiness(200, `"gate-secret":"ok"`) })
}
