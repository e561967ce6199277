// SPDX-License-Identifier: Apache-2.0

package profile

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

const (
	// MaxText bounds the YAML of a profile, in bytes.
	MaxText = 256 << 10
	// maxExtends bounds a chain of profiles that extend each other.
	maxExtends = 6
)

// The bounds of the texts of a profile, in characters. A PreflightProfile has the same.
const (
	MaxName        = 63
	MaxVersion     = 32
	MaxTitle       = 120
	MaxDescription = 500
)

// Fault is a fault in the text of a profile. It wraps [ErrInvalid].
type Fault struct {
	// Line counts from 1; it is 0 for a fault of the text as a whole.
	Line int
	// Field is the path of the faulty member: "rules.box.bleed_short.limit".
	Field string
	// Reason says what is wrong, and what is allowed.
	Reason string
}

// Error returns the place and the reason: "line 7: rules.color.rgb.limit: the rule has no limit".
func (f *Fault) Error() string {
	parts := []string{f.Reason}
	if f.Field != "" {
		parts = append([]string{f.Field}, parts...)
	}
	if f.Line > 0 {
		parts = append([]string{fmt.Sprintf("line %d", f.Line)}, parts...)
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns [ErrInvalid].
func (*Fault) Unwrap() error { return ErrInvalid }

// Spec describes a rule for the profiles that select it.
type Spec struct {
	// Limit is the unit of the limit, "" for a rule without one.
	Limit string
	// Tolerance is the unit of the tolerance, "" for a rule without one.
	Tolerance string
	// Area reports whether the rule has an area.
	Area bool
	// Least is the lowest limit.
	Least float64
	// Fixed rules apply with every profile, and cannot be set.
	Fixed bool
}

// Catalog returns the spec of a rule, and whether the rule exists.
type Catalog func(rule string) (Spec, bool)

// text is the YAML of a profile.
type text struct {
	name, version, title, description, extends string
	extendsLine                                int
	rules                                      map[string]delta
	inks                                       map[string]report.Role
}

// delta is the entry of a profile for one rule. Missing fields are as in the profile
// that it extends.
type delta struct {
	line                   int
	severity               report.Severity
	limit, tolerance, area *quantity
	source                 string
}

// quantity is a number, with the unit that follows it, or "".
type quantity struct {
	line  int
	value float64
	unit  string
}

const off report.Severity = "off"

const (
	// artwork is the role of an ink that has none.
	artwork = "artwork"
	// maxInks bounds the inks of a profile, and maxInkName the bytes of a name.
	maxInks    = 200
	maxInkName = 127
)

// Parse reads a profile, which may extend an embedded one. A catalog, unless it is nil, checks
// the rules and their units. Faults are of type [*Fault].
func Parse(yamlText []byte, catalog Catalog) (Profile, error) {
	t, err := read(yamlText)
	if err != nil {
		return Profile{}, err
	}
	return resolve(t, catalog, builtins().text)
}

// Resolve is [Parse] with another source of the profiles that the text may extend.
func Resolve(yamlText []byte, catalog Catalog, base func(name string) ([]byte, error)) (Profile, error) {
	t, err := read(yamlText)
	if err != nil {
		return Profile{}, err
	}
	return resolve(t, catalog, func(name string) (text, error) {
		extended, err := base(name)
		if err != nil {
			return text{}, err
		}
		return read(extended)
	})
}

// resolve returns the profile of a text. An error of base that is no [*Fault] means that there is no such profile.
func resolve(t text, catalog Catalog, base func(name string) (text, error)) (Profile, error) {
	err := error(nil)
	for chain := []text(nil); ; t, err = base(t.extends) {
		if fault := (*Fault)(nil); len(chain) > 0 && err != nil && !errors.As(err, &fault) {
			last := chain[len(chain)-1]
			return Profile{}, &Fault{Line: last.extendsLine, Field: "extends", Reason: fmt.Sprintf("there is no profile %.64q; choose one of %s", last.extends, strings.Join(Names(), ", "))}
		}
		if err != nil {
			return Profile{}, err
		}
		chain = append(chain, t)
		if t.extends == "" {
			return apply(chain, catalog)
		}
		if len(chain) > maxExtends {
			return Profile{}, &Fault{Field: "extends", Reason: fmt.Sprintf("more than %d profiles extend each other", maxExtends)}
		}
	}
}

// read parses one text and checks it without the texts that it extends.
func read(yamlText []byte) (text, error) {
	t := text{rules: map[string]delta{}, inks: map[string]report.Role{}}
	if len(yamlText) > MaxText {
		return t, &Fault{Reason: fmt.Sprintf("longer than %d bytes", MaxText)}
	}
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(yamlText))
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return t, &Fault{Reason: "the profile is empty"}
	}
	end := error(nil)
	if err == nil {
		end = decoder.Decode(&second)
	}
	switch {
	case err != nil:
		return t, &Fault{Reason: strings.TrimPrefix(err.Error(), "yaml: ")}
	case end == nil:
		return t, &Fault{Line: second.Line, Reason: "a second document begins; a file holds one profile"}
	case !errors.Is(end, io.EOF):
		return t, &Fault{Reason: strings.TrimPrefix(end.Error(), "yaml: ")}
	}
	err = members(document.Content[0], "", func(key, value *yaml.Node) error {
		switch key.Value {
		case "name":
			return limited(value, "name", MaxName, &t.name)
		case "version":
			return limited(value, "version", MaxVersion, &t.version)
		case "title":
			return limited(value, "title", MaxTitle, &t.title)
		case "description":
			return limited(value, "description", MaxDescription, &t.description)
		case "extends":
			t.extendsLine = value.Line
			return scalar(value, "extends", &t.extends)
		case "rules":
			return members(value, "rules", func(id, value *yaml.Node) error {
				d := delta{line: id.Line}
				err := d.read(value, "rules."+id.Value)
				t.rules[id.Value] = d
				return err
			})
		case "inks":
			return t.readInks(value)
		}
		return unknown(key, key.Value, "name, version, title, description, extends, rules, inks")
	})
	if err != nil {
		return t, err
	}
	for _, required := range []struct{ field, value string }{{"name", t.name}, {"version", t.version}} {
		if required.value == "" {
			return t, &Fault{Field: required.field, Reason: "a value is required"}
		}
	}
	t.title = cmp.Or(t.title, t.name)
	t.description = cmp.Or(t.description, t.title)
	return t, nil
}

// readInks reads the roles of inks.
func (t *text) readInks(node *yaml.Node) error {
	return members(node, "inks", func(name, value *yaml.Node) error {
		at, key := "inks."+name.Value, facts.InkKey(name.Value)
		switch {
		case len(name.Value) > maxInkName || strings.TrimSpace(name.Value) == "":
			return &Fault{Line: name.Line, Field: fmt.Sprintf("inks.%.32s", name.Value), Reason: fmt.Sprintf("a name of an ink has 1 to %d bytes", maxInkName)}
		case len(t.inks) >= maxInks:
			return &Fault{Line: name.Line, Field: at, Reason: fmt.Sprintf("more than %d inks", maxInks)}
		case slices.Contains([]string{"cyan", "magenta", "yellow", "black", "all", "none"}, key):
			return &Fault{Line: name.Line, Field: at, Reason: "a process ink has no role, and neither have All and None"}
		}
		for other := range t.inks {
			if facts.InkKey(other) == key {
				return &Fault{Line: name.Line, Field: at, Reason: fmt.Sprintf("the ink has the name of %.32q: case, blanks and separators do not count", other)}
			}
		}
		var role string
		if err := scalar(value, at, &role); err != nil {
			return err
		}
		if role == artwork {
			t.inks[name.Value] = ""
			return nil
		}
		parsed, err := report.ParseRole(role)
		if err != nil {
			return &Fault{Line: value.Line, Field: at, Reason: fmt.Sprintf("unknown role %.32q; choose one of %s", role, strings.Join(InkRoles(), ", "))}
		}
		t.inks[name.Value] = parsed
		return nil
	})
}

// InkRoles lists the values of the member inks of a profile.
func InkRoles() []string {
	names := []string{artwork}
	for _, role := range report.Roles() {
		names = append(names, string(role))
	}
	return names
}

// read reads the entry of a rule.
func (d *delta) read(node *yaml.Node, field string) error {
	return members(node, field, func(key, value *yaml.Node) error {
		at := field + "." + key.Value
		switch key.Value {
		case "severity":
			var name string
			if err := scalar(value, at, &name); err != nil {
				return err
			}
			// YAML 1.1 reads a bare off as false.
			if name == string(off) || name == "false" {
				d.severity = off
				return nil
			}
			parsed, err := report.ParseSeverity(name)
			if err != nil {
				return &Fault{Line: value.Line, Field: at, Reason: fmt.Sprintf("unknown severity %.32q; choose error, warning, info or off", name)}
			}
			d.severity = parsed
			return nil
		case "source":
			return scalar(value, at, &d.source)
		case "limit":
			return number(value, at, &d.limit)
		case "tolerance":
			return number(value, at, &d.tolerance)
		case "area":
			return number(value, at, &d.area)
		}
		return unknown(key, at, "severity, limit, tolerance, area, source")
	})
}

// members calls each with the members of a mapping.
func members(node *yaml.Node, field string, each func(key, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return &Fault{Line: node.Line, Field: field, Reason: "members are required, such as name: value"}
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if seen[key.Value] {
			return &Fault{Line: key.Line, Field: strings.TrimPrefix(field+"."+key.Value, "."), Reason: "the member appears twice"}
		}
		seen[key.Value] = true
		if err := each(key, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func scalar(node *yaml.Node, field string, to *string) error {
	if node.Kind != yaml.ScalarNode || node.Tag == "!!null" {
		return &Fault{Line: node.Line, Field: field, Reason: "a text is required"}
	}
	*to = node.Value
	return nil
}

// limited is [scalar] with a highest number of characters.
func limited(node *yaml.Node, field string, most int, to *string) error {
	err := scalar(node, field, to)
	if n := utf8.RuneCountInString(*to); err == nil && n > most {
		return &Fault{Line: node.Line, Field: field, Reason: fmt.Sprintf("the text has %d characters; at most %d are allowed", n, most)}
	}
	return err
}

func unknown(node *yaml.Node, field, known string) error {
	return &Fault{Line: node.Line, Field: field, Reason: "unknown member; known are " + known}
}

// measure is a number with a unit, such as "0.25 pt".
var measure = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]*\.?[0-9]+)\s*([A-Za-z%/0-9]*)$`) })

// number reads a number that may have a unit.
func number(node *yaml.Node, field string, to **quantity) error {
	parts := measure().FindStringSubmatch(strings.TrimSpace(node.Value))
	if node.Kind != yaml.ScalarNode || parts == nil {
		return &Fault{Line: node.Line, Field: field, Reason: "a number of at least 0 is required, with or without a unit, such as 3 or 3 mm"}
	}
	value, err := strconv.ParseFloat(parts[1], 64)
	if err != nil || value > math.MaxFloat32 {
		return &Fault{Line: node.Line, Field: field, Reason: "the number is too large"}
	}
	*to = &quantity{line: node.Line, value: value, unit: parts[2]}
	return nil
}

// millimetres holds the lengths that are converted into each other.
var millimetres = map[string]float64{"mm": 1, "cm": 10, "in": 25.4, "pt": 25.4 / 72} // constant

// in returns the quantity in the unit of a rule.
func (q *quantity) in(unit, field string) (float64, error) {
	if q.unit == "" || strings.EqualFold(q.unit, unit) || q.unit == strings.ReplaceAll(unit, " ", "") {
		return q.value, nil
	}
	from, to := millimetres[q.unit], millimetres[unit]
	if from == 0 || to == 0 {
		allowed := unit
		if to != 0 {
			allowed = strings.Join(slices.Sorted(maps.Keys(millimetres)), ", ")
		}
		return 0, &Fault{Line: q.line, Field: field, Reason: fmt.Sprintf("unknown unit %.16q; use %s", q.unit, allowed)}
	}
	return q.value * from / to, nil
}

// apply returns the profile of a chain of texts, of which each extends the next.
func apply(chain []text, catalog Catalog) (Profile, error) {
	own := chain[0]
	p := Profile{Name: own.name, Version: own.version, Title: own.title, Description: own.description, Rules: map[string]Setting{}}
	for i := len(chain) - 1; i >= 0; i-- {
		for _, id := range slices.Sorted(maps.Keys(chain[i].rules)) {
			d := chain[i].rules[id]
			setting, known := p.Rules[id]
			if err := d.apply(&setting, known, id, catalog); err != nil {
				return Profile{}, err
			}
			setting.Source = cmp.Or(d.source, own.title)
			p.Rules[id] = setting
		}
		maps.DeleteFunc(p.Rules, func(_ string, s Setting) bool { return s.Severity == off })
		if len(chain[i].inks) > 0 && p.Inks == nil {
			p.Inks = map[string]report.Role{}
		}
		maps.DeleteFunc(p.Inks, func(name string, _ report.Role) bool {
			for replaced := range chain[i].inks {
				if facts.InkKey(replaced) == facts.InkKey(name) {
					return true
				}
			}
			return false
		})
		maps.Copy(p.Inks, chain[i].inks)
	}
	if catalog != nil && len(p.Rules) == 0 {
		return Profile{}, &Fault{Field: "rules", Reason: "a profile without rules accepts every file: set extends or rules"}
	}
	data, err := json.Marshal(&p) // sorts the keys of maps
	if err != nil {
		return p, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	sum := sha256.Sum256(data)
	p.Digest = hex.EncodeToString(sum[:])
	return p, nil
}

// apply changes the setting of a rule.
func (d *delta) apply(s *Setting, known bool, id string, catalog Catalog) error {
	field := "rules." + id
	fault := func(member, reason string) error {
		return &Fault{Line: d.line, Field: strings.TrimSuffix(field+"."+member, "."), Reason: reason}
	}
	var spec Spec
	if catalog != nil {
		var exists bool
		if spec, exists = catalog(id); !exists {
			return fault("", "there is no such rule; printmarket preflight rules lists them")
		}
	}
	switch {
	case spec.Fixed:
		return fault("", "the rule applies with every profile, and cannot be set")
	case d.severity == off && !known:
		return fault("severity", "the rule is off but was not on")
	case d.severity == "" && !known:
		return fault("severity", "a severity is required: error, warning or info")
	}
	s.Severity = cmp.Or(d.severity, s.Severity)
	for _, set := range []struct {
		from   *quantity
		member string
		unit   string
		none   bool
		to     func(float64)
	}{
		{d.limit, "limit", spec.Limit, spec.Limit == "", func(v float64) { s.Limit = &v }},
		{d.tolerance, "tolerance", spec.Tolerance, spec.Tolerance == "", func(v float64) { s.Tolerance = v }},
		{d.area, "area", "mm2", !spec.Area, func(v float64) { s.Area = v }},
	} {
		switch {
		case set.from == nil:
			continue
		case catalog == nil && set.from.unit != "":
			return &Fault{Line: set.from.line, Field: field + "." + set.member, Reason: "a number without a unit is required"}
		case catalog == nil:
			set.to(set.from.value)
			continue
		case set.none:
			return &Fault{Line: set.from.line, Field: field + "." + set.member, Reason: "the rule has no " + set.member}
		}
		v, err := set.from.in(set.unit, field+"."+set.member)
		if err != nil {
			return err
		}
		set.to(v)
	}
	switch {
	case s.Severity == off || catalog == nil:
	case spec.Limit != "" && s.Limit == nil:
		return fault("limit", "a limit in "+spec.Limit+" is required")
	case s.Limit != nil && *s.Limit < spec.Least:
		return fault("limit", fmt.Sprintf("the lowest limit is %g %s", spec.Least, spec.Limit))
	}
	return nil
}
