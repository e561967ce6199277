// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
)

// Incarnation returns a name that is new for each process: host, process id and a random
// part.
func Incarnation() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	random := make([]byte, 6)
	_, _ = rand.Read(random) // never fails
	return fmt.Sprintf("%.60s-%d-%s", host, os.Getpid(), hex.EncodeToString(random))
}
