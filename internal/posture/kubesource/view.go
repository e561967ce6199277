// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/printmarket/printmarket/internal/posture"
)

// view is what of a kind is needed to compare it with the cluster. It is never
// changed.
type view struct {
	version string
	// marks are those of all objects but for later ones; the zero mark is that
	// of an object that is gone since.
	marks, later map[string]mark
}

// mark is one state of one object.
type mark struct {
	uid     types.UID
	version string
}

func markOf(o object) mark { return mark{o.GetUID(), o.GetResourceVersion()} }

// all is the mark of each object, in a map that the caller may change.
func (v view) all() map[string]mark {
	all := make(map[string]mark, len(v.marks)+len(v.later))
	maps.Copy(all, v.marks)
	for name, m := range v.later {
		if all[name] = m; m == (mark{}) {
			delete(all, name)
		}
	}
	return all
}

// isIn reports whether a compiled view is of this state, a live one, or of a later one.
// That it is later is believed only of a watch that was heard during the read:
// the versions of a cluster that was restored from a backup begin anew, and a
// dead watch would be ahead of them for ever.
func (v view) isIn(compiled view, heard bool) bool {
	return maps.Equal(v.all(), compiled.all()) ||
		heard && posture.LaterVersion(v.version, compiled.version) == compiled.version
}

// ledger keeps the marks of a kind for views. A copy of all of them for each
// event would be most of a replica's work while the statuses of ten thousand
// objects are written, so a view shares those that were there some events ago,
// and copies the later ones.
type ledger struct{ marks, later map[string]mark }

// note takes the mark of one object; the zero mark when it is gone.
func (l *ledger) note(name string, m mark) {
	if l.later == nil {
		l.later = map[string]mark{}
	}
	l.later[name] = m
}

// reset begins anew with all objects.
func (l *ledger) reset(objects map[string]object) {
	l.marks, l.later = make(map[string]mark, len(objects)), nil
	for name, o := range objects {
		l.marks[name] = markOf(o)
	}
}

// view is the present state. The later marks are merged when there are so many
// that copying them costs what merging does.
func (l *ledger) view(version string) view {
	v := view{version, l.marks, maps.Clone(l.later)}
	if len(l.later)*len(l.later) > len(l.marks) {
		l.marks, l.later = v.all(), nil
		v = view{version, l.marks, nil}
	}
	return v
}
