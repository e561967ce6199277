// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/ratelimit"
)

// Limits of attempts to sign in. A key has 190 random bits, so nobody can guess one at any
// rate: the limits only bound the load.
var (
	// perClient limits one client.
	perClient = ratelimit.Policy{Limit: 20, Window: time.Minute}
	// perPeer limits one remote address. Behind a proxy, all clients share it.
	perPeer = ratelimit.Policy{Limit: 600, Window: time.Minute}
)

// attemptBuckets bounds the memory. Clients in one bucket share a count.
const attemptBuckets = 4096

// attempts counts attempts to sign in by client, on this replica.
//
// Behind a proxy, the client is the last address of X-Forwarded-For, which the nearest
// proxy has added. No proxies are configured: a client without a proxy that forges the
// field avoids the limit per client, and still has the limit of its connection.
type attempts struct {
	// salt prevents a client from choosing with whom it shares a bucket.
	salt  [16]byte
	taken ratelimit.Limiter
}

func newAttempts(random io.Reader) (*attempts, error) {
	a := &attempts{}
	if _, err := io.ReadFull(random, a.salt[:]); err != nil {
		return nil, fmt.Errorf("salt of the attempts: %w", err)
	}
	return a, nil
}

// take counts an attempt. A result above zero is how long the client must wait.
func (a *attempts) take(r *http.Request, now time.Time) time.Duration {
	remote := r.RemoteAddr
	if address, err := netip.ParseAddrPort(remote); err == nil {
		remote = address.Addr().String()
	}
	peer, client := network(remote), ""
	if fields := r.Header.Values("X-Forwarded-For"); len(fields) > 0 {
		last := fields[len(fields)-1]
		client = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
	}
	if wait := a.count(r, "peer", peer, perPeer, now); wait > 0 {
		return wait
	}
	return a.count(r, "client", peer+" "+network(client), perClient, now)
}

func (a *attempts) count(r *http.Request, kind, who string, policy ratelimit.Policy, now time.Time) time.Duration {
	sum := sha256.Sum256(append(a.salt[:], who...))
	bucket := binary.BigEndian.Uint64(sum[:]) % attemptBuckets
	key := ratelimit.Key{Surface: kind + strconv.FormatUint(bucket, 10)}
	return a.taken.Take(r.Context(), key, policy, now, false).RetryAfter
}

// network is the part of an address that identifies a site: of IPv6 the first 64 bits,
// because one client can use every address below them. It returns any other text as it is.
func network(text string) string {
	address, err := netip.ParseAddr(text)
	if err != nil {
		return text
	}
	address = address.Unmap().WithZone("")
	if address.Is4() {
		return address.String()
	}
	prefix, err := address.Prefix(64)
	if err != nil {
		return text
	}
	return prefix.String()
}
