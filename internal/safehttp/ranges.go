// SPDX-License-Identifier: Apache-2.0

package safehttp

import (
	"fmt"
	"net/netip"
)

// RangeError rejects an address range that needs the confirmation of the operator.
type RangeError struct {
	Range  netip.Prefix
	Reason string
}

func (e *RangeError) Error() string { return fmt.Sprintf("%s is %s", e.Range, e.Reason) }

// The widest address ranges that need no confirmation.
const widestIPv4, widestIPv6 = 16, 48

// ParseRanges parses address ranges. Unless confirmed is set, it returns a [RangeError] for a
// range that is wider than a network of one installation, and for a link-local range, which
// may contain the metadata service of a cloud.
func ParseRanges(texts []string, confirmed bool) ([]netip.Prefix, error) {
	var ranges []netip.Prefix
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, err
		}
		bits, widest := prefix.Bits(), widestIPv4
		switch {
		case prefix.Addr().Is4In6():
			bits -= 96 // IPv4-mapped, RFC 4291, section 2.5.5.2
		case prefix.Addr().Is6():
			widest = widestIPv6
		}
		switch {
		case confirmed:
		case bits < widest:
			return nil, &RangeError{prefix, fmt.Sprintf("wider than /%d", widest)}
		case prefix.Addr().Unmap().IsLinkLocalUnicast():
			return nil, &RangeError{prefix, "link-local, as metadata services of clouds are"}
		}
		ranges = append(ranges, prefix)
	}
	return ranges, nil
}

// IsLoopback reports whether a host names this machine: localhost, or a loopback address.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
