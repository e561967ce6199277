// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// operatorWork is the work of an operator, in about nanoseconds, beside that of painting.
const operatorWork = 500

// Again paints a page that was read before once more, on the surface that the renderer has begun.
// It records no marks, and takes from the budget of zooms, not from that of the document. It returns the
// error of the context.
func (in *Interpreter) Again(ctx context.Context, page *document.Page) error {
	in.open(ctx, page)
	in.invisible = true // text of this kind has been recorded
	before := in.steps
	in.file.Budget.Aside(func() {
		root := in.root()
		root.mask, root.again = true, true
		in.blend(root)
		in.run(root, in.streams(page.Contents, nil))
		in.release(root)
		for _, o := range in.file.Array(page.Annots) {
			annot := in.file.Dict(o)
			if rect, layer, printed := in.printed(annot); printed && !rect.Empty() {
				in.appearance(annot, rect, layer, true)
			}
		}
	})
	in.renderer.Settle()
	in.renderer.Charge(operatorWork * int64(in.steps-before))
	return context.Cause(ctx)
}
