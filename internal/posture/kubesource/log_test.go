// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/telemetrytest"
)

// TestOutageIsLoggedOncePerKindAndCause covers five kinds that retry each second. The
// text of each failure differs: by the port, and by the race between the two ends of a
// connection.
func TestOutageIsLoggedOncePerKindAndCause(t *testing.T) {
	t.Parallel()
	const attempts, causes = 40, 6
	c := newGatedCluster(t, plane)
	network := newProxy(t, plane.Address())
	log := &telemetrytest.Log{}
	r := c.follow(t, func(config *kubesource.Config) {
		config.Rest, config.Confirm = network.config(config.Rest), 15*time.Second
		config.Log = slog.New(slog.NewTextHandler(log, nil))
	})
	r.awaitsHealth(t)
	if warnings := log.Lines("level=WARN"); len(warnings) != 0 {
		t.Fatalf("warnings before the outage:\n%s", warnings)
	}

	network.disconnect()
	eventually.Succeeds(t, func() error {
		if n := network.refusals(); n < attempts {
			return fmt.Errorf("%d attempts", n)
		}
		return nil
	})
	network.reconnect()
	kinds := []string{"CapabilityRollout", "PartnerEntitlement", "XJMFSender", "PreflightProfile", "Secret"}
	for _, kind := range kinds {
		eventually.Succeeds(t, func() error {
			if log.Lines("level=INFO", "watching the cluster again", "follow "+kind+":") == nil {
				return fmt.Errorf("%s: the log does not report that it is watched again", kind)
			}
			return nil
		})
		if n := len(log.Lines("level=WARN", "follow "+kind+":")); n < 1 || n > causes {
			t.Errorf("%s: %d warnings, want 1 to %d", kind, n, causes)
		}
		if n := len(log.Lines("level=INFO", "watching the cluster again", "follow "+kind+":")); n != 1 {
			t.Errorf("%s: logged %d times that it is watched again, want once", kind, n)
		}
	}
	if all := log.Lines("level=WARN"); len(all) > (len(kinds)+1)*causes || t.Failed() {
		t.Errorf("%d warnings in %d attempts:\n%s", len(all), network.refusals(), strings.Join(all, ""))
	}
}
