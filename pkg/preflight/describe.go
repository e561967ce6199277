// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"strings"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// describe returns the facts of the file as a whole.
func describe(doc *facts.Document) *report.Document {
	out := &report.Document{
		PDFVersion: doc.PDFVersion, Pages: len(doc.Pages),
		Title: doc.Title, Producer: doc.Producer, Creator: doc.Creator, Created: doc.Created, Modified: doc.Modified,
		Trapped: doc.Trapped, Encrypted: doc.Encrypted, PrintDenied: doc.PrintDenied, Linearized: doc.Linearized, Tagged: doc.Tagged,
		Standards: []string{}, OutputIntents: []report.OutputIntent{}, Layers: []report.Layer{},
		Annotations: map[string]int{}, Actions: map[string]int{},
		FormFields: doc.Form.Fields, Signatures: doc.Form.Signatures,
		Attachments: append([]string{}, doc.Attachments[:min(len(doc.Attachments), maxAttachments)]...),
	}
	for _, s := range doc.Standards {
		out.Standards = append(out.Standards, s.Version)
	}
	for i := range doc.Intents {
		intent := report.OutputIntent{Subtype: doc.Intents[i].Subtype, Condition: doc.Intents[i].Condition, Registry: doc.Intents[i].Registry}
		if p := doc.Intents[i].Profile; p != nil {
			intent.Profile = &report.ICC{
				Description: p.Description, Space: p.Space, Class: p.Class, Version: p.Version, Components: p.Components, SHA256: p.SHA256,
			}
		}
		out.OutputIntents = append(out.OutputIntents, intent)
	}
	for _, l := range doc.Layers[:min(len(doc.Layers), maxLayers)] {
		layer := report.Layer{Name: l.Name, Printed: l.Printed, Pages: listed(l.Uses)}
		if l.Group != "" {
			layer.ProcessingStep, layer.Role = strings.TrimSpace(l.Group+" "+l.Type), facts.RoleOfStep(l.Group, l.Type)
		}
		out.Layers = append(out.Layers, layer)
	}
	for i := range doc.Annotations {
		out.Annotations[doc.Annotations[i].Subtype]++
	}
	for _, a := range doc.Actions {
		out.Actions[a.Type]++
	}
	return out
}
