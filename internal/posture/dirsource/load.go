// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// defaultNamespace is the namespace of an object that names none.
const defaultNamespace = "default"

// Read validates the manifests of a directory once, as of now, and returns the inputs
// of a compilation. One fault rejects all manifests with a [RefusalError].
func (a *Admission) Read(ctx context.Context, dir string, now time.Time) (posture.Inputs, error) {
	set, err := scan(dir)
	if err != nil {
		return posture.Inputs{}, err
	}
	return a.load(ctx, set.files, now)
}

func (a *Admission) load(ctx context.Context, files map[string][]byte, now time.Time) (posture.Inputs, error) {
	l := loader{admission: a, seen: map[objectName]string{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := ctx.Err(); err != nil {
			return posture.Inputs{}, err
		}
		documents, fault := parse(name, files[name])
		if fault != nil {
			l.refusal.add(fault)
			continue
		}
		for i := range documents {
			for _, fault := range l.admit(ctx, name, &documents[i]) {
				fault.File = name
				l.refusal.add(fault)
			}
		}
	}
	if len(l.refusal.Faults) > 0 {
		return posture.Inputs{}, &l.refusal
	}
	l.inputs.ResolveSecrets(l.secrets, now)
	return l.inputs, nil
}

// loader collects the objects of one set.
type loader struct {
	admission *Admission
	inputs    posture.Inputs
	secrets   []posture.SecretData
	seen      map[objectName]string
	refusal   RefusalError
}

type objectName struct{ kind, namespace, name string }

// admit validates one document and keeps its object.
func (l *loader) admit(ctx context.Context, file string, d *document) []*FaultError {
	apiVersion, kind := text(d.object["apiVersion"]), text(d.object["kind"])
	isSecret := apiVersion == "v1" && kind == "Secret"
	if !isSecret && !l.admission.Knows(apiVersion, kind) {
		return []*FaultError{{Line: d.lineOf("kind"), Field: "kind", Problem: "is neither a kind of " + v1alpha1.GroupVersion.String() + " nor a v1 Secret"}}
	}
	metadata, isMap := d.object["metadata"].(map[string]any)
	if !isMap {
		return []*FaultError{{Line: d.lineOf("metadata"), Field: "metadata", Problem: "must be an object"}}
	}
	if metadata["namespace"] == nil {
		metadata["namespace"] = defaultNamespace
	}
	id := objectName{kind, text(metadata["namespace"]), text(metadata["name"])}
	if first, twice := l.seen[id]; twice {
		return []*FaultError{{Line: d.line, Field: "metadata.name", Problem: fmt.Sprintf("another %s of this name is in %s", kind, first)}}
	}
	l.seen[id] = fmt.Sprintf("%s:%d", file, d.line)
	if isSecret {
		secret, faults := readSecret(d, id.namespace, id.name)
		l.secrets = append(l.secrets, secret)
		return faults
	}
	if errs := l.admission.Create(ctx, d.object); len(errs) > 0 {
		faults := make([]*FaultError, 0, len(errs))
		for _, e := range errs {
			problem := e.Detail
			if problem == "" {
				problem = e.Type.String()
			}
			path := e.Field
			if path == "<nil>" {
				path = ""
			}
			faults = append(faults, &FaultError{Line: d.lineOf(path), Field: path, Problem: problem})
		}
		return faults
	}
	if err := l.keep(kind, d.object); err != nil {
		// The text of a decoding error may quote a value.
		return []*FaultError{{Line: d.line, Problem: "cannot be decoded"}}
	}
	return nil
}

// keep decodes an admitted object into its type.
func (l *loader) keep(kind string, object map[string]any) error {
	content, err := json.Marshal(object)
	if err != nil {
		return err
	}
	switch kind {
	case v1alpha1.KindPartnerEntitlement:
		return decode(content, &l.inputs.Partners, func(o *v1alpha1.PartnerEntitlement) *metav1.ObjectMeta { return &o.ObjectMeta })
	case v1alpha1.KindXJMFSender:
		return decode(content, &l.inputs.Senders, func(o *v1alpha1.XJMFSender) *metav1.ObjectMeta { return &o.ObjectMeta })
	case v1alpha1.KindCapabilityRollout:
		return decode(content, &l.inputs.Rollouts, func(o *v1alpha1.CapabilityRollout) *metav1.ObjectMeta { return &o.ObjectMeta })
	default:
		return fmt.Errorf("kind %s has no type", kind)
	}
}

func decode[T any](content []byte, list *[]T, meta func(*T) *metav1.ObjectMeta) error {
	var object T
	if err := json.Unmarshal(content, &object); err != nil {
		return err
	}
	// Drop the metadata that a cluster sets itself, as it would on
	// creation; a file that was exported from one has them.
	m := meta(&object)
	m.CreationTimestamp, m.DeletionTimestamp = metav1.NewTime(time.Time{}), nil
	m.UID, m.ResourceVersion, m.Generation, m.ManagedFields = "", "", 0, nil
	*list = append(*list, object)
	return nil
}
