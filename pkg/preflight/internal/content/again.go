// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// Again paints a page that was read before once more, on the surface that the renderer has begun.
// It records no marks, and takes nothing from the budget of the document. It returns the error of
// the context.
func (in *Interpreter) Again(ctx context.Context, page *document.Page) error {
	in.open(ctx, page)
	in.invisible = true // text of this kind has been recorded
	in.file.Budget.Aside(func() {
		root := in.root()
		root.mask, root.again = true, true
		in.run(root, in.streams(page.Contents, nil))
		in.release(root)
	})
	return context.Cause(ctx)
}
