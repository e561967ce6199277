// SPDX-License-Identifier: Apache-2.0

package content

import (
	"context"

	"github.com/printmarket/printmarket/pkg/preflight/internal/color"
	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/planes"
	"github.com/printmarket/printmarket/pkg/preflight/internal/render"
)

// Again paints a page that was read before once more, on the surface that the renderer has begun.
// It records no marks, and takes nothing from the budget of the document. It returns the error of
// the context.
func (in *Interpreter) Again(ctx context.Context, page *document.Page) error {
	in.stopped, in.active = ctx.Err, in.active[:0]
	in.sheet = sheet{
		page: page, invisible: true,
		visited: map[visit]bool{}, tilings: map[tilingKey]*tiling{}, colored: map[*color.Space]bool{},
	}
	in.drawing = drawing{masks: map[maskKey]*planes.Soft{}, patterns: map[patternKey]*render.Pattern{}}
	in.file.Budget.Aside(func() {
		root := in.frame(page.Resources)
		root.state = in.initial(page.Media)
		root.mask, root.again = true, true
		root.state.fill.choose(root.state.fill.space, in.remap(root, root.state.fill.space))
		in.tint(&root.state.fill, root.state.fill.space, []float64{0})
		root.state.stroke = root.state.fill
		in.run(root, in.streams(page.Contents, nil))
		in.release(root)
	})
	return context.Cause(ctx)
}
