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

// Attempts to sign in. A key has 190 random bits, so guessing is hopeless at any
// rate: the bounds keep somebody who tries from being a burden.
var (
	// perClient bounds what one client may try.
	perClient = ratelimit.Policy{Limit: 20, Window: time.Minute}
	// perPeer bounds the connections of one address, behind which, if it is a proxy,
	// all clients are.
	perPeer = ratelimit.Policy{Limit: 600, Window: time.Minute}
)

// attemptBuckets bounds what is remembered. Clients of one bucket share a count.
const attemptBuckets = 4096

// attempts counts attempts to sign in by client, on this replica.
//
// Behind a proxy the client is the last address of X-Forwarded-For, the only one
// that a proxy vouches for. Nobody has to be told which proxies there are: who makes
// the field up comes round the bound of a client, and to that of the connection.
type attempts struct {
	// salt keeps others from choosing whose bucket they share.
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

// take counts an attempt. What is not zero is how long the client has to wait.
func (a *attempts) take(r *http.Request, now time.Time) time.Duration {
	peer := network(hostOf(r.RemoteAddr))
	if wait := a.count(r, "peer", peer, perPeer, now); wait > 0 {
		return wait
	}
	return a.count(r, "client", peer+" "+network(forwarded(r.Header)), perClient, now)
}

func (a *attempts) count(r *http.Request, kind, who string, policy ratelimit.Policy, now time.Time) time.Duration {
	sum := sha256.Sum256(append(a.salt[:], who...))
	bucket := binary.BigEndian.Uint64(sum[:]) % attemptBuckets
	key := ratelimit.Key{Surface: kind + strconv.FormatUint(bucket, 10)}
	return a.taken.Take(r.Context(), key, policy, now, false).RetryAfter
}

// forwarded is the address that the nearest proxy has seen; empty without one.
func forwarded(header http.Header) string {
	fields := header.Values("X-Forwarded-For")
	if len(fields) == 0 {
		return ""
	}
	last := fields[len(fields)-1]
	return strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
}

func hostOf(remote string) string {
	if address, err := netip.ParseAddrPort(remote); err == nil {
		return address.Addr().String()
	}
	return remote
}

// network is whom an address stands for: of IPv6 the 64 bits that a site has, of
// which one client can use every address. What is no address is itself.
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
