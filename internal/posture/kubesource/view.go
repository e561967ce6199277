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
// That it is later is believed only of a watch that received something during the read:
// the versions of a cluster that was restored from a backup begin anew, and a
// dead watch would be ahead of them for ever.
func (v view) isIn(compiled view, received bool) bool {
	return maps.Equal(v.all(), compiled.all()) ||
		received && posture.LaterVersion(v.version, compiled.version) == compiled.version
}

// markSet keeps the marks of a kind for views. A copy of all of them for each
// event would be most of a replica's work while the statuses of ten thousand
// objects are written. A view therefore shares the marks of some events ago, and
// copies the later ones.
type markSet struct{ marks, later map[string]mark }

// note takes the mark of one object; the zero mark when it is gone.
func (s *markSet) note(name string, m mark) {
	if s.later == nil {
		s.later = map[string]mark{}
	}
	s.later[name] = m
}

// reset begins anew with all objects.
func (s *markSet) reset(objects map[string]object) {
	s.marks, s.later = make(map[string]mark, len(objects)), nil
	for name, o := range objects {
		s.marks[name] = markOf(o)
	}
}

// view is the present state. The later marks are merged when there are so many
// that copying them costs what merging does.
func (s *markSet) view(version string) view {
	v := view{version, s.marks, maps.Clone(s.later)}
	if len(s.later)*len(s.later) > len(s.marks) {
		s.marks, s.later = v.all(), nil
		v = view{version, s.marks, nil}
	}
	return v
}
