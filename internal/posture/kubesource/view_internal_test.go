// SPDX-License-Identifier: Apache-2.0

package kubesource

import "testing"

func TestLiveReadProvesOnlyWhatIsCompiled(t *testing.T) {
	t.Parallel()
	one := func(version string) map[string]mark { return map[string]mark{"acme": {"uid", version}} }
	tests := map[string]struct {
		live, compiled view
		heard          bool
		want           bool
	}{
		"the same objects in the same versions": {
			view{"90", one("7")}, view{"7", one("7")}, false, true,
		},
		"nothing on either side": {
			view{"90", nil}, view{"7", nil}, false, true,
		},
		"an object that has changed since": {
			view{"90", one("80")}, view{"7", one("7")}, false, false,
		},
		"an object that was made anew under its name": {
			view{"90", map[string]mark{"acme": {"other", "7"}}}, view{"7", one("7")}, false, false,
		},
		"an object that is new": {
			view{"90", one("80")}, view{"7", nil}, false, false,
		},
		"an object that is gone": {
			view{"90", nil}, view{"7", one("7")}, false, false,
		},
		"a watch that went on during the read": {
			view{"90", one("80")}, view{"91", one("91")}, true, true,
		},
		"a watch that was heard but is not as far": {
			view{"90", one("80")}, view{"89", one("79")}, true, false,
		},
		"a cluster that was restored from a backup, and a dead watch from before": {
			view{"50", one("40")}, view{"91", one("91")}, false, false,
		},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			if got := test.live.isIn(test.compiled, test.heard); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
