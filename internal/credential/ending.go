// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"crypto/sha256"
	"time"
)

// Ending ends all sessions with a name whose sign-in was at or before At.
type Ending struct {
	// Name is a name of the sessions, from [SessionName].
	Name Digest
	At   time.Time
	// Until is when the last of the sessions expires. The ending has no effect after it.
	Until time.Time
}

// SessionName returns a name under which sessions can be ended: the digest of a kind, for
// example "session" or "subject", and a value of that kind.
func SessionName(kind, value string) Digest {
	return sha256.Sum256([]byte(kind + "\x00" + value))
}
