// SPDX-License-Identifier: Apache-2.0

package edit

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/dirsource"
)

// Directory holds the custom resources of a directory of manifests. Edits replace single lines and
// preserve comments and order.
type Directory struct {
	path      string
	admission *dirsource.Admission
}

// OpenDirectory returns the resources of a directory and its subdirectories.
func OpenDirectory(path string) (*Directory, error) {
	admission, err := dirsource.NewAdmission()
	if err != nil {
		return nil, err
	}
	return &Directory{path, admission}, nil
}

// manifest is a file with an object. root is the YAML of the object.
type manifest struct {
	path string
	text []byte
	root *yaml.Node
}

// find searches the object.
func (d *Directory) find(id ID) (found *manifest, err error) {
	err = d.each(func(m *manifest, at ID) error {
		if at == id {
			found = m
			return fs.SkipAll
		}
		return nil
	})
	if err == nil && found == nil {
		err = fmt.Errorf("%s in %s %w", id, d.path, ErrNotFound)
	}
	return found, err
}

// each visits all objects.
func (d *Directory) each(visit func(*manifest, ID) error) error {
	return WalkManifests(d.path, func(path string, text []byte) error {
		roots, err := documents(text)
		if err != nil {
			return err
		}
		for _, root := range roots {
			_, kind := Member(root, "kind")
			_, metadata := Member(root, "metadata")
			_, name := Member(metadata, "name")
			var id ID
			if kind != nil && name != nil {
				id = ID{kind.Value, name.Value}
			}
			if err := visit(&manifest{path, text, root}, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// documents returns the mappings at the top of a file.
func documents(text []byte) (roots []*yaml.Node, err error) {
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var document yaml.Node
		switch err := decoder.Decode(&document); {
		case errors.Is(err, io.EOF):
			return roots, nil
		case err != nil:
			return nil, err
		case document.Content[0].Kind == yaml.MappingNode:
			roots = append(roots, document.Content[0])
		}
	}
}

// object returns the JSON values of a YAML node.
func object(root *yaml.Node) (Object, error) {
	var value any
	if err := root.Decode(&value); err != nil {
		return nil, err
	}
	return plain(value)
}

// Get implements [Store].
func (d *Directory) Get(_ context.Context, id ID) (Object, error) {
	m, err := d.find(id)
	if err != nil {
		return nil, err
	}
	return object(m.root)
}

// Edit implements [Store].
func (d *Directory) Edit(ctx context.Context, id ID, patch Patch, dryRun bool) (Change, error) {
	m, err := d.find(id)
	if err != nil {
		return Change{}, err
	}
	current, err := object(m.root)
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", m.path, err)
	}
	spec, err := patch(current)
	if err != nil {
		return Change{}, err
	}
	if spec, err = plain(spec); err != nil {
		return Change{}, err
	}
	want := merge(map[string]any(current), map[string]any{"spec": spec})
	change := Change{Object: id.String(), Place: m.path, DryRun: dryRun, Fields: fields("spec", current["spec"], want["spec"])}
	if len(change.Fields) == 0 {
		return change, nil
	}
	if err := refused(d.admission.Update(ctx, runtime.DeepCopyJSON(want), runtime.DeepCopyJSON(current))); err != nil {
		return change, err
	}
	_, at := Member(m.root, "spec")
	lines, err := patched(strings.SplitAfter(string(m.text), "\n"), at, spec)
	if err != nil {
		return change, err
	}
	text, err := m.review(lines, ErrForm, func(got Object) bool { return reflect.DeepEqual(map[string]any(got), want) })
	if err != nil || dryRun {
		return change, err
	}
	return change, ReplaceManifest(m.path, text)
}

// refused returns the faults of an object as one error.
func refused(faults field.ErrorList) error {
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("a cluster would reject the change: %w", faults.ToAggregate())
}

// review returns the file with other lines. It decodes the result and compares it, because YAML has
// forms that a change by lines cannot handle: the other objects of the file must stay as they are, and
// want must accept the object of the manifest. Otherwise, the error is form.
func (m *manifest) review(lines []string, form error, want func(Object) bool) ([]byte, error) {
	text := []byte(strings.Join(lines, ""))
	after, err := documents(text)
	if err != nil {
		return nil, errors.Join(form, err)
	}
	before, err := documents(m.text)
	if err != nil || len(before) != len(after) {
		return nil, errors.Join(form, err)
	}
	for i := range after {
		got, err := object(after[i])
		if err != nil {
			return nil, errors.Join(form, err)
		}
		if before[i].Line == m.root.Line {
			if !want(got) {
				return nil, form
			}
			continue
		}
		if expected, err := object(before[i]); err != nil || !reflect.DeepEqual(got, expected) {
			return nil, errors.Join(form, err)
		}
	}
	return text, nil
}

// patched applies a merge patch to the lines of a block mapping, from its end, so that the line numbers
// of the nodes stay valid.
func patched(lines []string, node *yaml.Node, patch map[string]any) ([]string, error) {
	if node == nil || node.Kind != yaml.MappingNode || node.Style&yaml.FlowStyle != 0 || len(node.Content) == 0 {
		return nil, ErrForm
	}
	type edit struct {
		from, to int
		text     string
		below    map[string]any
		value    *yaml.Node
	}
	indent, end := strings.Repeat(" ", node.Column-1), LastLine(node)
	var edits []edit
	for name, change := range patch {
		key, value := Member(node, name)
		below, isMap := change.(map[string]any)
		if key != nil && isMap && value.Kind == yaml.MappingNode && value.Style&yaml.FlowStyle == 0 && len(value.Content) > 0 {
			edits = append(edits, edit{from: key.Line - 1, below: below, value: value})
			continue
		}
		one := edit{from: end, to: end}
		if key != nil {
			one.from, one.to = key.Line-1, LastLine(value)
		}
		if isMap { // a flow mapping, or a new member: written as a whole
			var old any
			if value != nil {
				if err := value.Decode(&old); err != nil {
					return nil, err
				}
			}
			current, _ := old.(map[string]any)
			change = merge(current, below)
		}
		if change != nil {
			text, err := formatted(name, change, indent, value)
			if err != nil {
				return nil, err
			}
			one.text = text
		} else if key == nil {
			continue
		}
		edits = append(edits, one)
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Or(b.from-a.from, strings.Compare(b.text, a.text)) })
	for _, e := range edits {
		if e.below != nil {
			var err error
			if lines, err = patched(lines, e.value, e.below); err != nil {
				return nil, err
			}
			continue
		}
		if e.from > 0 && !strings.HasSuffix(lines[e.from-1], "\n") {
			lines[e.from-1] += "\n"
		}
		lines = slices.Replace(lines, e.from, e.to, e.text)
	}
	return lines, nil
}

// formatted returns the lines of a member. A comment behind a replaced value stays.
func formatted(name string, value any, indent string, old *yaml.Node) (string, error) {
	node := &yaml.Node{}
	if err := node.Encode(map[string]any{name: value}); err != nil {
		return "", err
	}
	if old != nil && old.LineComment != "" && node.Content[1].Kind == yaml.ScalarNode {
		node.Content[1].LineComment = old.LineComment
	}
	if old != nil && old.Style&yaml.FlowStyle != 0 {
		node.Content[1].Style = yaml.FlowStyle
	}
	return encoded(node, indent)
}

// encoded returns the YAML of a value; each line starts with the indentation.
func encoded(value any, indent string) (string, error) {
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(value), encoder.Close()); err != nil {
		return "", err
	}
	var lines strings.Builder
	for line := range strings.Lines(text.String()) {
		lines.WriteString(indent + line)
	}
	return lines.String(), nil
}

// folders are the directories of new manifests by kind, below the directory of all manifests.
var folders = map[string]string{
	v1alpha1.KindCapabilityRollout: "rollouts", v1alpha1.KindPartnerEntitlement: "partners", v1alpha1.KindXJMFSender: "senders",
	v1alpha1.KindPreflightProfile: "profiles",
}

// Create implements [Store]. The new file is partners/NAME.yaml, and so on for other kinds.
func (d *Directory) Create(ctx context.Context, object Object, dryRun bool) (Change, error) {
	id, err := idOf(object)
	if err != nil {
		return Change{}, err
	}
	if _, err := d.find(id); !errors.Is(err, ErrNotFound) {
		if err == nil {
			err = fmt.Errorf("%s in %s %w", id, d.path, ErrExists)
		}
		return Change{}, err
	}
	path := filepath.Join(d.path, folders[id.Kind], id.Name+".yaml")
	change := Change{Object: id.String(), Place: path, DryRun: dryRun, Fields: fields("spec", nil, object["spec"])}
	if err := refused(d.admission.Create(ctx, runtime.DeepCopyJSON(object))); err != nil {
		return change, err
	}
	if _, err := os.Stat(path); err == nil {
		return change, fmt.Errorf("the file %s %w", path, ErrExists)
	}
	text, err := encoded(map[string]any(object), "")
	if err != nil || dryRun {
		return change, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // manifests contain no secrets
		return change, err
	}
	return change, ReplaceManifest(path, []byte(text))
}

// Senders implements [Store].
func (d *Directory) Senders(_ context.Context, partner string) (senders []v1alpha1.XJMFSender, err error) {
	err = d.each(func(m *manifest, id ID) error {
		if id.Kind != v1alpha1.KindXJMFSender {
			return nil
		}
		values, err := object(m.root)
		if err != nil {
			return err
		}
		var sender v1alpha1.XJMFSender
		if err := values.Decode(&sender); err != nil {
			return err
		}
		if sender.Spec.Partner == partner {
			senders = append(senders, sender)
		}
		return nil
	})
	return senders, err
}
