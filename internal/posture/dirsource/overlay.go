// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// Overlay reads the objects of the platform's kinds and the Secrets from manifests that
// change a cluster. An object can be partial, like that of a field manager. It does not
// return objects of other kinds, and counts them.
func (a *Admission) Overlay(m Manifests) (objects []map[string]any, secrets []posture.SecretData, ignored int, err error) {
	l := loader{admission: a, seen: map[objectName]string{}}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		documents, fault := parse(name, m[name])
		if fault != nil {
			l.refusal.add(fault)
			continue
		}
		for i := range documents {
			d := &documents[i]
			if !isSecret(d.object) && !a.Knows(text(d.object["apiVersion"]), text(d.object["kind"])) {
				ignored++
				continue
			}
			var faults []*FaultError
			id, fault := l.identify(name, d)
			switch {
			case fault != nil:
				faults = append(faults, fault)
			case isSecret(d.object):
				var secret posture.SecretData
				secret, faults = readSecret(d, id.namespace, id.name)
				l.secrets = append(l.secrets, secret)
			default:
				objects = append(objects, d.object)
			}
			for _, fault := range faults {
				fault.File = name
				l.refusal.add(fault)
			}
		}
	}
	if len(l.refusal.Faults) > 0 {
		return nil, nil, 0, &l.refusal
	}
	return objects, l.secrets, ignored, nil
}

// Changes validates each object of after as the new version of the object of the same name
// in before, if there is one. Some rules, such as those of stage transitions and immutable
// fields, apply only to a change. The error is a [RefusalError].
func (a *Admission) Changes(ctx context.Context, before, after posture.Inputs) error {
	var refusal RefusalError
	old := map[objectName]map[string]any{}
	each := func(in posture.Inputs, visit func(objectName, map[string]any)) error {
		return errors.Join(
			eachObject(v1alpha1.KindCapabilityRollout, in.Rollouts, visit),
			eachObject(v1alpha1.KindPartnerEntitlement, in.Partners, visit),
			eachObject(v1alpha1.KindXJMFSender, in.Senders, visit),
			eachObject(v1alpha1.KindPreflightProfile, in.Profiles, visit))
	}
	err := each(before, func(id objectName, object map[string]any) { old[id] = object })
	if err != nil {
		return err
	}
	err = each(after, func(id objectName, object map[string]any) {
		if old[id] == nil {
			return
		}
		for _, fault := range faultsOf(a.Update(ctx, object, old[id])) {
			fault.File = id.kind + "/" + id.name
			refusal.add(fault)
		}
	})
	if err != nil {
		return err
	}
	if len(refusal.Faults) > 0 {
		return &refusal
	}
	return nil
}

// eachObject calls visit with the objects of one kind as JSON values, without their status
// and the metadata that the server sets.
func eachObject[T any, P interface {
	*T
	metav1.Object
}](kind string, objects []T, visit func(objectName, map[string]any)) error {
	for i := range objects {
		o := P(&objects[i])
		object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			return fmt.Errorf("convert %s %s: %w", kind, o.GetName(), err)
		}
		delete(object, "status")
		object["apiVersion"], object["kind"] = v1alpha1.GroupVersion.String(), kind
		object["metadata"] = map[string]any{"namespace": o.GetNamespace(), "name": o.GetName()}
		visit(objectName{kind, o.GetNamespace(), o.GetName()}, object)
	}
	return nil
}
