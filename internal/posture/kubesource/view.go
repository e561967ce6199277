// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"maps"

	"k8s.io/apimachinery/pkg/types"

	"github.com/printmarket/printmarket/internal/posture"
)

// view is the part of a kind's state that is compared with the cluster. It is
// immutable.
type view struct {
	version string
	// marks holds all objects except those in later. The zero mark in later stands for
	// a deleted object.
	marks, later map[string]mark
}

// mark is one state of one object.
type mark struct {
	uid     types.UID
	version string
}

func markOf(o object) mark { return mark{o.GetUID(), o.GetResourceVersion()} }

// all returns the mark of each object in a map that the caller may change.
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

// isIn reports whether a compiled view has the state of the live view v or a later one.
// A later version counts only if the watch received something during the read. The
// versions of a cluster that was restored from a backup start at an earlier number, and
// a dead watch would stay ahead of them permanently.
func (v view) isIn(compiled view, received bool) bool {
	return maps.Equal(v.all(), compiled.all()) ||
		received && posture.LaterVersion(v.version, compiled.version) == compiled.version
}

// markSet holds the marks of a kind for views. Copying all marks for each event would
// be most of a replica's work while the statuses of ten thousand objects are written. A
// view therefore shares older marks and copies the later ones.
type markSet struct{ marks, later map[string]mark }

// note records the mark of one object; the zero mark means that it was deleted.
func (s *markSet) note(name string, m mark) {
	if s.later == nil {
		s.later = map[string]mark{}
	}
	s.later[name] = m
}

// reset replaces the marks with those of all objects.
func (s *markSet) reset(objects map[string]object) {
	s.marks, s.later = make(map[string]mark, len(objects)), nil
	for name, o := range objects {
		s.marks[name] = markOf(o)
	}
}

// view returns the current state. It merges the later marks once copying them costs as
// much as merging.
func (s *markSet) view(version string) view {
	v := view{version, s.marks, maps.Clone(s.later)}
	if len(s.later)*len(s.later) > len(s.marks) {
		s.marks, s.later = v.all(), nil
		v = view{version, s.marks, nil}
	}
	return v
}
