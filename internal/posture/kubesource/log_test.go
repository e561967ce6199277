// SPDX-License-Identifier: Apache-2.0

package kubesource_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/posture/kubesource"
	"github.com/printmarket/printmarket/test/eventually"
)

// journal collects log lines and may be read concurrently.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

// lines returns the lines that contain all of the given words.
func (j *journal) lines(words ...string) []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var found []string
	for line := range strings.Lines(j.text.String()) {
		has := true
		for _, word := range words {
			has = has && strings.Contains(line, word)
		}
		if has {
			found = append(found, line)
		}
	}
	return found
}

// TestOutageIsLoggedOncePerKindAndCause covers four kinds that retry each second. The
// text of each failure differs: by the port, and by the race between the two ends of a
// connection.
func TestOutageIsLoggedOncePerKindAndCause(t *testing.T) {
	t.Parallel()
	const attempts, causes = 40, 6
	c := newGatedCluster(t, plane)
	network := newProxy(t, plane.Address())
	log := &journal{}
	r := c.follow(t, func(config *kubesource.Config) {
		config.Rest, config.Confirm = network.config(config.Rest), 15*time.Second
		config.Log = slog.New(slog.NewTextHandler(log, nil))
	})
	r.awaitsHealth(t)
	if warnings := log.lines("level=WARN"); len(warnings) != 0 {
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
	kinds := []string{"CapabilityRollout", "PartnerEntitlement", "XJMFSender", "Secret"}
	for _, kind := range kinds {
		eventually.Succeeds(t, func() error {
			if log.lines("level=INFO", "watching the cluster again", "follow "+kind+":") == nil {
				return fmt.Errorf("%s: the log does not report that it is watched again", kind)
			}
			return nil
		})
		if n := len(log.lines("level=WARN", "follow "+kind+":")); n < 1 || n > causes {
			t.Errorf("%s: %d warnings, want 1 to %d", kind, n, causes)
		}
		if n := len(log.lines("level=INFO", "watching the cluster again", "follow "+kind+":")); n != 1 {
			t.Errorf("%s: logged %d times that it is watched again, want once", kind, n)
		}
	}
	if all := log.lines("level=WARN"); len(all) > (len(kinds)+1)*causes || t.Failed() {
		t.Errorf("%d warnings in %d attempts:\n%s", len(all), network.refusals(), strings.Join(all, ""))
	}
}
