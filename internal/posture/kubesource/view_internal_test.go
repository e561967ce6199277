// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
)

func TestLiveReadProvesOnlyWhatIsCompiled(t *testing.T) {
	t.Parallel()
	one := func(version string) map[string]mark { return map[string]mark{"acme": {"uid", version}} }
	tests := map[string]struct {
		live, compiled view
		heard          bool
		want           bool
	}{
		"the same objects in the same versions": {
			view{"90", one("7"), nil}, view{"7", one("7"), nil}, false, true,
		},
		"nothing on either side": {
			view{"90", nil, nil}, view{"7", nil, nil}, false, true,
		},
		"the same objects, one of them changed, one gone and one new": {
			view{"90", map[string]mark{"acme": {"uid", "8"}, "new": {"u", "9"}}, nil},
			view{"9", map[string]mark{"acme": {"uid", "7"}, "gone": {"v", "6"}}, map[string]mark{"acme": {"uid", "8"}, "gone": {}, "new": {"u", "9"}}},
			false, true,
		},
		"an object that has changed since": {
			view{"90", one("80"), nil}, view{"7", one("7"), nil}, false, false,
		},
		"an object that was replaced under its name": {
			view{"90", map[string]mark{"acme": {"other", "7"}}, nil}, view{"7", one("7"), nil}, false, false,
		},
		"an object that is new": {
			view{"90", one("80"), nil}, view{"7", nil, nil}, false, false,
		},
		"an object that is gone": {
			view{"90", nil, nil}, view{"7", one("7"), nil}, false, false,
		},
		"a watch that went on during the read": {
			view{"90", one("80"), nil}, view{"91", one("91"), nil}, true, true,
		},
		"a watch that was heard but is not as far": {
			view{"90", one("80"), nil}, view{"89", one("79"), nil}, true, false,
		},
		"a cluster that was restored from a backup, and a dead watch from before": {
			view{"50", one("40"), nil}, view{"91", one("91"), nil}, false, false,
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

// TestViewsAreImmutable checks that later events do not change a view.
func TestViewsAreImmutable(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var l markSet
	objects := map[string]object{}
	want := map[string]mark{}
	for i := range 50 {
		p := &v1alpha1.PartnerEntitlement{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i), UID: "u", ResourceVersion: "1"}}
		objects[p.Name], want[p.Name] = p, mark{"u", "1"}
	}
	l.reset(objects)
	type taken struct {
		view view
		want map[string]mark
	}
	var all []taken
	for version := range 500 {
		name, m := fmt.Sprint("p", random.IntN(70)), mark{"u", fmt.Sprint(version)}
		if random.IntN(4) == 0 {
			m = mark{}
			delete(want, name)
		} else {
			want[name] = m
		}
		l.note(name, m)
		all = append(all, taken{l.view(fmt.Sprint(version)), maps.Clone(want)})
	}
	for i, one := range all {
		if diff := cmp.Diff(one.want, one.view.all(), cmp.AllowUnexported(mark{})); diff != "" {
			t.Fatalf("view %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestViewAfterOneEventCopiesFewMarks limits the cost of events. With ten thousand
// objects, copying all marks for each event would copy a hundred million marks on each
// replica.
func TestViewAfterOneEventCopiesFewMarks(t *testing.T) {
	t.Parallel()
	const objects, events = 10_000, 1000
	l := markSet{marks: map[string]mark{}}
	for i := range objects {
		l.marks[fmt.Sprint("p", i)] = mark{"u", "1"}
	}
	copied := 0
	for i := range events {
		former := len(l.later)
		l.note(fmt.Sprint("p", i), mark{"u", "2"})
		v := l.view("2")
		if copied += len(v.later); former > 0 && v.later == nil {
			copied += objects
		}
	}
	if each := copied / events; each > 200 {
		t.Errorf("%d marks were copied for each event, of %d", each, objects)
	}
}
