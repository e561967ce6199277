// SPDX-License-Identifier: Apache-2.0

package safehttp_test

import (
	"errors"
	"testing"

	"github.com/printmarket/printmarket/internal/safehttp"
)

func TestParseRangesRejectsRangesThatNeedAConfirmation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text   string
		refuse bool
	}{
		"a network of an installation":            {"10.1.0.0/16", false},
		"a wider network":                         {"10.0.0.0/8", true},
		"every address":                           {"::/0", true},
		"a network of an installation, in IPv6":   {"fd00:1:2::/48", false},
		"a wider network, in IPv6":                {"fd00::/32", true},
		"a wider network, mapped to IPv6":         {"::ffff:10.0.0.0/104", true},
		"a network of an installation, mapped":    {"::ffff:10.1.0.0/112", false},
		"the metadata service of a cloud":         {"169.254.169.254/32", true},
		"the metadata service, mapped to IPv6":    {"::ffff:169.254.169.254/128", true},
		"a link-local network of one IPv6 subnet": {"fe80::/64", true},
	} {
		_, err := safehttp.ParseRanges([]string{"127.0.0.1/32", tc.text}, false)
		var refused *safehttp.RangeError
		if errors.As(err, &refused) != tc.refuse || !tc.refuse && err != nil {
			t.Errorf("%s: ParseRanges(%q) = %v, want a RangeError: %t", name, tc.text, err, tc.refuse)
		}
		if ranges, err := safehttp.ParseRanges([]string{tc.text}, true); err != nil || len(ranges) != 1 {
			t.Errorf("%s: confirmed ParseRanges(%q) = %v, %v, want one range", name, tc.text, ranges, err)
		}
	}
	if ranges, err := safehttp.ParseRanges([]string{"10.0.0.1"}, true); err == nil {
		t.Errorf("ParseRanges of an address without length = %v, want an error", ranges)
	}
}
