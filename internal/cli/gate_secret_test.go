// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"testing"
)

// A replica that has taken the gate Secret once stays in service without it.
func (p *platform) withoutGateSecret(t *testing.T) {
	p.order("controller", "stop")
	p.kubectl("delete", "secret", "printmarket-gate-api")
	p.until("the check tells", func() error { return p.readiness(200, `"posture":"ok"`, "printmarket-gate-api: not found") })
	if err := want(p.createRFQ("ACME_LIVE_KEY"), 201, ""); err != nil {
		t.Error(err)
	}
	p.order("controller", "start")
	p.until("the controller has written it again", func() error { return p.readiness(200, `"gate-secret":"ok"`) })
}
