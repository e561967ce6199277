// SPDX-License-Identifier: Apache-2.0

package content

import (
	"cmp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// The bounds of optional content.
const (
	maxLayers = 5_000
	// maxTerms and maxTermDepth bound one visibility expression.
	maxTerms     = 1_000
	maxTermDepth = 16
	// maxMarked is how deep marked content is followed.
	maxMarked = 4_096
)

// layers decides which optional content is printed (8.11): it follows the default
// configuration and its usage entries for printing.
type layers struct {
	file      *document.File
	collector *facts.Collector
	groups    map[uintptr]*facts.Layer
	// keep holds the dictionaries, whose addresses are the keys.
	keep []types.Dict
}

func readLayers(file *document.File, collector *facts.Collector) *layers {
	l := &layers{file: file, collector: collector, groups: map[uintptr]*facts.Layer{}}
	properties := file.Dict(file.Root()["OCProperties"])
	config := file.Dict(properties["D"])
	doc := collector.Document()
	on := file.Name(config["BaseState"]) != "OFF"
	list := file.Array(properties["OCGs"])
	for _, o := range list[:min(len(list), maxLayers)] {
		dict := file.Dict(o)
		if dict == nil || l.groups[document.Identity(dict)] != nil {
			continue
		}
		// Read a group, and whether it is a processing step (ISO 19593-1).
		step := l.file.Dict(dict["GTS_Metadata"])
		layer := &facts.Layer{
			Name: l.file.Text(dict["Name"]), Object: document.Ref(o),
			Group: document.Clean(l.file.Name(step["GTS_ProcStepsGroup"]), 60),
			Type:  document.Clean(l.file.Name(step["GTS_ProcStepsType"]), 60),
		}
		layer.Printed = on
		l.groups[document.Identity(dict)] = layer
		l.keep = append(l.keep, dict)
		doc.Layers = append(doc.Layers, layer)
	}
	l.configurations(properties)
	l.switchAll(config["ON"], true)
	l.switchAll(config["OFF"], false)
	l.automatic(config)
	// Groups that are not meant for viewing take no part in visibility: they are
	// shown.
	if o, ok := config["Intent"]; ok && !l.lists(o, "View") {
		return l
	}
	for _, dict := range l.keep {
		if o, ok := dict["Intent"]; ok && !l.lists(o, "View") && !l.lists(o, "All") {
			l.groups[document.Identity(dict)].Printed = true
		}
	}
	return l
}

// configurations records what PDF/X does not allow in a configuration of layers: one that
// switches layers by itself, and one without a name.
func (l *layers) configurations(properties types.Dict) {
	others := l.file.Array(properties["Configs"])
	if properties["Configs"] != nil {
		l.collector.Feature(facts.LayerConfigurations, "", "", 0, nil)
	}
	for _, o := range append(types.Array{properties["D"]}, others[:min(len(others), 64)]...) {
		dict := l.file.Dict(o)
		if dict == nil {
			continue
		}
		if l.file.Resolve(dict["AS"]) != nil {
			l.collector.Feature(facts.LayerConfiguration, "AS", document.Ref(o), 0, nil)
		}
		if l.file.Text(dict["Name"]) == "" {
			l.collector.Feature(facts.LayerConfiguration, "Name", document.Ref(o), 0, nil)
		}
	}
}

func (l *layers) switchAll(o types.Object, on bool) {
	list := l.file.Array(o)
	for _, o := range list[:min(len(list), 2*maxLayers)] {
		if layer := l.group(l.file.Dict(o)); layer != nil {
			layer.Printed = on
		}
	}
}

func (l *layers) group(dict types.Dict) *facts.Layer {
	if dict == nil {
		return nil
	}
	return l.groups[document.Identity(dict)]
}

// automatic applies the usage applications for printing (table 101).
func (l *layers) automatic(config types.Dict) {
	list := l.file.Array(config["AS"])
	for _, o := range list[:min(len(list), 64)] {
		application := l.file.Dict(o)
		if l.file.Name(application["Event"]) != "Print" || !l.lists(application["Category"], "Print") {
			continue
		}
		groups := l.file.Array(application["OCGs"])
		for _, o := range groups[:min(len(groups), maxLayers)] {
			dict := l.file.Dict(o)
			layer := l.group(dict)
			if layer == nil {
				continue
			}
			switch l.file.Name(l.file.Dict(l.file.Dict(dict["Usage"])["Print"])["PrintState"]) {
			case "ON":
				layer.Printed = true
			case "OFF":
				layer.Printed = false
			}
		}
	}
}

// lists reports whether an object is the given name or an array with it.
func (l *layers) lists(o types.Object, name string) bool {
	if l.file.Name(o) == name {
		return true
	}
	list := l.file.Array(o)
	for _, o := range list[:min(len(list), 64)] {
		if l.file.Name(o) == name {
			return true
		}
	}
	return false
}

// visible reports whether a group or a membership is printed, and records that the
// page uses it. Other objects are printed.
func (l *layers) visible(o types.Object, page int) bool {
	dict := l.file.Dict(o)
	if layer := l.group(dict); layer != nil {
		l.collector.UseLayer(layer, page)
		return layer.Printed
	}
	if l.file.Name(dict["Type"]) != "OCMD" {
		return true
	}
	if l.file.Array(dict["VE"]) != nil {
		terms := maxTerms
		return l.expression(dict["VE"], page, maxTermDepth, &terms)
	}
	return l.policy(dict, page)
}

// of returns the layer that an object stands for: a group, or the first group of a membership that
// is a processing step, else its first group.
func (l *layers) of(o types.Object) *facts.Layer {
	dict := l.file.Dict(o)
	if layer := l.group(dict); layer != nil || l.file.Name(dict["Type"]) != "OCMD" {
		return layer
	}
	list := l.file.Array(dict["OCGs"])
	if list == nil {
		list = types.Array{dict["OCGs"]}
	}
	var first *facts.Layer
	for _, o := range list[:min(len(list), maxLayers)] {
		layer := l.group(l.file.Dict(o))
		if layer != nil && layer.Group != "" {
			return layer
		}
		first = cmp.Or(first, layer)
	}
	return first
}

// ordinary reports whether an object stands for no processing step (ISO 19593-1). It is false for a
// membership with an expression.
func (l *layers) ordinary(o types.Object) bool {
	layer := l.of(o)
	return (layer == nil || layer.Group == "") && l.file.Array(l.file.Dict(o)["VE"]) == nil
}

// policy reports whether a membership is printed by the policy over its groups.
// Groups that do not exist do not count.
func (l *layers) policy(dict types.Dict, page int) bool {
	list := l.file.Array(dict["OCGs"])
	if list == nil {
		list = types.Array{dict["OCGs"]}
	}
	on, off := 0, 0
	for _, o := range list[:min(len(list), maxLayers)] {
		layer := l.group(l.file.Dict(o))
		if layer == nil {
			continue
		}
		l.collector.UseLayer(layer, page)
		if layer.Printed {
			on++
		} else {
			off++
		}
	}
	switch p := l.file.Name(dict["P"]); {
	case on+off == 0:
		return true
	case p == "AllOn":
		return off == 0
	case p == "AnyOff":
		return off > 0
	case p == "AllOff":
		return on == 0
	}
	return on > 0
}

// expression evaluates /VE: [/And ...], [/Or ...] or [/Not one]. Expressions that
// are too deep or too long are printed.
func (l *layers) expression(o types.Object, page, depth int, terms *int) bool {
	if *terms--; depth == 0 || *terms < 0 {
		return true
	}
	list := l.file.Array(o)
	if len(list) == 0 {
		layer := l.group(l.file.Dict(o))
		if layer == nil {
			return true
		}
		l.collector.UseLayer(layer, page)
		return layer.Printed
	}
	name := l.file.Name(list[0])
	if name == "Not" {
		return len(list) < 2 || !l.expression(list[1], page, depth-1, terms)
	}
	result := name == "And"
	for _, o := range list[1:] {
		if *terms < 0 {
			return true
		}
		// Evaluate every term, so that the use of every layer is recorded.
		if shown := l.expression(o, page, depth-1, terms); shown != (name == "And") {
			result = shown
		}
	}
	return result
}

// marked is the marked content that is open (14.6).
type marked struct {
	// open holds the open sections; deep counts those beyond the bound.
	open []section
	deep int
	// count is the number of hidden sections, of which removed will be removed; outside is set
	// when the whole stream is hidden.
	count, removed int
	outside        bool
	// layer is the innermost layer, of this stream or of those around it.
	layer *facts.Layer
}

// section is open marked content. around is the layer outside of it.
type section struct {
	visibility
	around *facts.Layer
}

// visibility is the state of a section.
type visibility uint8

const (
	shown visibility = iota
	hidden
	// removed sections are hidden, and their layers are no processing steps.
	removed
)

func (m *marked) hidden() bool { return m.outside || m.count > 0 }

// begin opens a section. layer is its layer, nil for none.
func (m *marked) begin(s visibility, layer *facts.Layer) {
	if len(m.open) >= maxMarked {
		m.deep++
		return
	}
	m.open = append(m.open, section{visibility: s, around: m.layer})
	m.layer = cmp.Or(layer, m.layer)
	m.add(s, 1)
}

func (m *marked) add(s visibility, n int) {
	if s != shown {
		m.count += n
	}
	if s == removed {
		m.removed += n
	}
}

// opened reports whether the section that was opened last has a state.
func (m *marked) opened(s visibility) bool {
	return m.deep == 0 && len(m.open) > 0 && m.open[len(m.open)-1].visibility == s
}

func (m *marked) close() {
	if m.deep > 0 {
		m.deep--
		return
	}
	if n := len(m.open); n > 0 {
		m.add(m.open[n-1].visibility, -1)
		m.layer = m.open[n-1].around
		m.open = m.open[:n-1]
	}
}

// markedOperator executes the operators of 14.6 and of compatibility sections.
func (in *Interpreter) markedOperator(f *frame, name []byte) bool {
	switch string(name) {
	case "BMC":
		f.layers.begin(shown, nil)
	case "BDC":
		state, layer := shown, (*facts.Layer)(nil)
		if len(f.operands) >= 2 && string(f.operands[0].Text) == "OC" && f.operands[1].Kind == lexer.Name {
			o := in.resource(f, "Properties", f.operands[1].Text)
			layer = in.layers.of(o)
			switch {
			case in.layers.visible(o, in.page.Number):
			case in.layers.ordinary(o):
				state = removed
			default:
				state = hidden
			}
		}
		f.layers.begin(state, layer)
	case "EMC":
		f.layers.close()
	case "BX":
		f.compatible++
	case "EX":
		f.compatible = max(f.compatible-1, 0)
	default:
		return false
	}
	return true
}
