// SPDX-License-Identifier: Apache-2.0

package document

import (
	"cmp"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// maxAttachments bounds the names of attached files in a report.
const maxAttachments = 1000

// attachment records an attached file by the name that a viewer would show, once
// for each file specification.
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
