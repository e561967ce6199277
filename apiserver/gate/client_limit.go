// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"hash/maphash"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Client holds the addresses that identify the sender of a request.
//
// Behind a proxy, the client is the last address of X-Forwarded-For, which the nearest
// proxy has added. No proxies are configured: a client without a proxy that forges the
// field gets several identities, and all of them share one peer.
type Client struct {
	// peer is the network of the connection, client is the network behind it; client is
	// empty without X-Forwarded-For.
	peer, client string
}

// ClientOf returns the client of a request with a remote address (host:port) and the
// values of X-Forwarded-For.
func ClientOf(remote string, forwardedFor []string) Client {
	if address, err := netip.ParseAddrPort(remote); err == nil {
		remote = address.Addr().String()
	}
	client := Client{peer: network(remote)}
	if len(forwardedFor) > 0 {
		last := forwardedFor[len(forwardedFor)-1]
		client.client = network(strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:]))
	}
	return client
}

// String returns the networks of the client.
func (c Client) String() string { return c.peer + " " + c.client }

// network returns the part of an address that identifies a site: of IPv6 the first 64
// bits, because one client can use every address below them. It returns any other text
// as it is.
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

// clientBuckets bounds the memory of a [ClientLimiter]. Clients in one bucket share a
// count.
const clientBuckets = 4096

// ClientLimiter limits unauthenticated clients, on this replica. It is safe for
// concurrent use.
type ClientLimiter struct {
	perClient, perPeer RatePolicy
	// seed prevents a client from choosing the clients with which it shares a bucket.
	seed  maphash.Seed
	taken local
}

// NewClientLimiter returns a limiter with a policy for each client, and one for all
// clients with the same remote address, for example that of a proxy.
func NewClientLimiter(perClient, perPeer RatePolicy) *ClientLimiter {
	return &ClientLimiter{perClient: perClient, perPeer: perPeer, seed: maphash.MakeSeed()}
}

// Take counts an action of a client. A result above zero rejects the action and is how
// long the client must wait. Take charges the client first, so that a client beyond its
// own limit uses nothing of the limit of its peer.
func (l *ClientLimiter) Take(client Client, action string, now time.Time) time.Duration {
	if wait := l.count(action+" client ", client.String(), l.perClient, now); wait > 0 {
		return wait
	}
	return l.count(action+" peer ", client.peer, l.perPeer, now)
}

func (l *ClientLimiter) count(kind, identity string, policy RatePolicy, now time.Time) time.Duration {
	return l.taken.take(LimitKey{Surface: kind + strconv.FormatUint(l.bucket(identity), 10)}, policy, now).RetryAfter
}

func (l *ClientLimiter) bucket(identity string) uint64 {
	return maphash.String(l.seed, identity) % clientBuckets
}
