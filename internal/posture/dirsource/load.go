// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// defaultNamespace is the namespace of an object without one if [Admission] sets no other.
const defaultNamespace = "default"

// Read validates manifests once, as of now, and returns the inputs of a compilation. One
// fault rejects all manifests with a [RefusalError].
func (a *Admission) Read(ctx context.Context, files Manifests, now time.Time) (posture.Inputs, error) {
	l := loader{admission: a, seen: map[objectName]string{}}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		documents, fault := parse(name, files[name])
		if fault != nil {
			l.refusal.add(fault)
			continue
		}
		for i := range documents {
			if err := ctx.Err(); err != nil {
				return posture.Inputs{}, err
			}
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
	// namespace is that of the first object, which is at where.
	namespace, where string
}

type objectName struct{ kind, namespace, name string }

// admit validates one document and keeps its object.
func (l *loader) admit(ctx context.Context, file string, d *document) []*FaultError {
	kind := text(d.object["kind"])
	if !isSecret(d.object) && !l.admission.Knows(text(d.object["apiVersion"]), kind) {
		return []*FaultError{{Line: d.lineOf("kind"), Field: "kind", Problem: "is neither a kind of " + v1alpha1.GroupVersion.String() + " nor a v1 Secret"}}
	}
	id, fault := l.identify(file, d)
	if fault != nil {
		return []*FaultError{fault}
	}
	if isSecret(d.object) {
		secret, faults := readSecret(d, id.namespace, id.name)
		l.secrets = append(l.secrets, secret)
		return faults
	}
	if faults := faultsOf(l.admission.Create(ctx, d.object)); len(faults) > 0 {
		for _, fault := range faults {
			fault.Line = d.lineOf(fault.Field)
		}
		return faults
	}
	if err := l.keep(kind, d.object); err != nil {
		// The text of a decoding error may quote a value.
		return []*FaultError{{Line: d.line, Problem: "cannot be decoded"}}
	}
	if kind != v1alpha1.KindPreflightProfile {
		return nil
	}
	// A cluster admits a profile with an unknown rule and reports it in the status, which manifests
	// do not have.
	_, err := posture.CompileProfile(&l.inputs.Profiles[len(l.inputs.Profiles)-1])
	if wrong := (*posture.ProfileFault)(nil); errors.As(err, &wrong) {
		return []*FaultError{{Line: d.lineOf(wrong.Field), Field: wrong.Field, Problem: wrong.Problem}}
	}
	return nil
}

func isSecret(object map[string]any) bool {
	return text(object["apiVersion"]) == "v1" && text(object["kind"]) == "Secret"
}

// identify sets the namespace of a document without one, and returns a fault if another
// document has its name or another namespace.
func (l *loader) identify(file string, d *document) (objectName, *FaultError) {
	metadata, isMap := d.object["metadata"].(map[string]any)
	if !isMap {
		return objectName{}, &FaultError{Line: d.lineOf("metadata"), Field: "metadata", Problem: "must be an object"}
	}
	if metadata["namespace"] == nil {
		metadata["namespace"] = cmp.Or(l.admission.Namespace, defaultNamespace)
	}
	id := objectName{text(d.object["kind"]), text(metadata["namespace"]), text(metadata["name"])}
	if first, twice := l.seen[id]; twice {
		return id, &FaultError{Line: d.line, Field: "metadata.name", Problem: fmt.Sprintf("another %s of this name is in %s", id.kind, first)}
	}
	l.seen[id] = fmt.Sprintf("%s:%d", file, d.line)
	return id, l.sameNamespace(file, d, id.namespace)
}

// faultsOf returns the faults of validation errors without a file and a line, and without
// values.
func faultsOf(errs field.ErrorList) []*FaultError {
	faults := make([]*FaultError, len(errs))
	for i, e := range errs {
		problem := cmp.Or(e.Detail, e.Type.String())
		if value, isText := e.BadValue.(string); isText {
			// The messages of formats end with the value.
			problem = strings.TrimSuffix(problem, ": "+strconv.Quote(value))
		}
		faults[i] = &FaultError{Field: e.Field, Problem: problem}
		if e.Field == "<nil>" {
			faults[i].Field = ""
		}
	}
	return faults
}

// sameNamespace returns a fault if the object is in another namespace than the objects
// before it: the gates enforce the objects of one namespace.
func (l *loader) sameNamespace(file string, d *document, namespace string) *FaultError {
	if l.namespace == "" {
		l.namespace, l.where = namespace, fmt.Sprintf("%s:%d", file, d.line)
	}
	line := d.lineOf("metadata.namespace")
	switch required := l.admission.Namespace; {
	case required != "" && namespace != required:
		return &FaultError{Line: line, Field: "metadata.namespace", Problem: fmt.Sprintf("must be %s, the namespace of this command, instead of %.63q", required, namespace)}
	case namespace != l.namespace:
		return &FaultError{Line: line, Field: "metadata.namespace", Problem: fmt.Sprintf("must be %.63q like that of %s, instead of %.63q; the gates enforce one namespace", l.namespace, l.where, namespace)}
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
	case v1alpha1.KindPreflightProfile:
		return decode(content, &l.inputs.Profiles, func(o *v1alpha1.PreflightProfile) *metav1.ObjectMeta { return &o.ObjectMeta })
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
