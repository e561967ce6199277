// SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// maxAttachments is how many names are kept; who reads a thousand has read
// enough.
const maxAttachments = 1000

// attachments finds the files inside the file (ISO 32000-2, 7.11.4 and 14.13).
func (f *File) attachments(root types.Dict) {
	f.nameTree(f.Dict(root["Names"])["EmbeddedFiles"], f.attachment)
	for _, o := range f.Array(root["AF"]) {
		if !f.step() {
			return
		}
		f.attachment("", o)
	}
}

// attachment notes a file specification by the name that a viewer would show.
// One that is reached on two ways is one file.
func (f *File) attachment(key string, o types.Object) {
	doc := f.collector.Document()
	spec := f.Dict(o)
	if spec == nil || len(doc.Attachments) >= maxAttachments || f.Dict(spec["EF"]) == nil {
		return
	}
	if id := Identity(spec); !f.attached[id] {
		f.attached[id] = true
		doc.Attachments = append(doc.Attachments, cmp.Or(f.Text(spec["UF"]), f.Text(spec["F"]), key, "unnamed"))
	}
}
