// SPDX-License-Identifier: Apache-2.0

package posturetest

import (
	"reflect"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture"
)

// SpecFields returns the path of every field below the spec of every kind, found
// in the Go types, for example "PartnerEntitlement.spec.Keys[].State".
func SpecFields() []string {
	var paths []string
	visit := func(path string, _ reflect.Value) { paths = append(paths, path) }
	for _, t := range []reflect.Type{
		reflect.TypeFor[v1alpha1.CapabilityRollout](), reflect.TypeFor[v1alpha1.PartnerEntitlement](), reflect.TypeFor[v1alpha1.XJMFSender](),
		reflect.TypeFor[v1alpha1.PreflightProfile](),
	} {
		walk(t.Name()+".spec", filled(reflect.New(t).Elem().FieldByName("Spec")), visit)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// VisitSpecs calls visit with the path and the settable value of every field
// below a spec that is not the zero value.
func VisitSpecs(in posture.Inputs, visit func(path string, field reflect.Value)) {
	for i := range in.Rollouts {
		walk(v1alpha1.KindCapabilityRollout+".spec", reflect.ValueOf(&in.Rollouts[i].Spec).Elem(), visit)
	}
	for i := range in.Partners {
		walk(v1alpha1.KindPartnerEntitlement+".spec", reflect.ValueOf(&in.Partners[i].Spec).Elem(), visit)
	}
	for i := range in.Profiles {
		walk(v1alpha1.KindPreflightProfile+".spec", reflect.ValueOf(&in.Profiles[i].Spec).Elem(), visit)
	}
	for i := range in.Senders {
		walk(v1alpha1.KindXJMFSender+".spec", reflect.ValueOf(&in.Senders[i].Spec).Elem(), visit)
	}
}

// walk visits the fields of a struct and of the structs below it.
func walk(path string, v reflect.Value, visit func(path string, field reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[metav1.Time]():
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			field, at := v.Field(i), path+"."+v.Type().Field(i).Name
			if field.IsZero() {
				continue
			}
			visit(at, field)
			walk(at, field, visit)
		}
	case v.Kind() == reflect.Pointer:
		walk(path, v.Elem(), visit)
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			walk(path+"[]", v.Index(i), visit)
		}
	}
}

// filled sets every field below a value to a value other than zero.
func filled(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[metav1.Time]() {
			v.Set(reflect.ValueOf(metav1.NewTime(Judged())))
			return v
		}
		for i := range v.NumField() {
			filled(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		filled(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		filled(v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(1)
	default:
		panic("posturetest: a spec has a field of the unexpected type " + v.Type().String())
	}
	return v
}
