// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/webhook"
)

func TestEachTriggerUsesASimulator(t *testing.T) {
	t.Parallel()
	for _, trigger := range webhook.Triggers() {
		product, profile := slices.Contains(rfq.SimulatorUIDs(), trigger.Product), slices.Contains(preflightjob.SimulatorProfiles(), trigger.Profile)
		if product == profile {
			t.Errorf("%s: product %q, profile %q, want one simulator", trigger.Event, trigger.Product, trigger.Profile)
		}
	}
}

func TestParseEventListsTheEventsForAnUnknownName(t *testing.T) {
	t.Parallel()
	if trigger, err := webhook.ParseEvent("rfq.expired"); err != nil || trigger.Product != "sim:rfq:expired" {
		t.Errorf("ParseEvent(rfq.expired) = %+v, %v", trigger, err)
	}
	if _, err := webhook.ParseEvent("preflight.completed"); err == nil || !strings.Contains(err.Error(), "preflight.succeeded") {
		t.Errorf("ParseEvent(preflight.completed): %v, want an error with all names", err)
	}
}
