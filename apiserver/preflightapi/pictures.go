// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/HugoSmits86/nativewebp"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/pkg/preflight/pageimage"
)

const (
	mediaPNG  = "image/png"
	mediaWebP = "image/webp"
	// printedLayer is the name of [pageimage.Printed] in the contract. An ink of this name cannot be
	// selected, nor one with the name of [pageimage.Heat].
	printedLayer = "printed"
	// drawingWait limits the wait of a request until the server can draw its picture.
	drawingWait = 5 * time.Second
)

// OpenedPictures are the pictures of the pages of a job.
type OpenedPictures struct {
	*pageimage.Set
	// Digest is that of the file, which never changes.
	Digest  string
	content io.Closer
}

// Close closes the file.
func (p *OpenedPictures) Close() { _ = p.content.Close() }

// OpenPictures opens the pictures of the pages of a job.
func OpenPictures(ctx context.Context, jobs Reports, owner tenant.ID, id string) (*OpenedPictures, error) {
	file, content, err := jobs.Pictures(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	set, err := pageimage.Open(content, file.Bytes)
	if err != nil {
		_ = content.Close()
		return nil, fmt.Errorf("pictures of %s: %w", id, err)
	}
	return &OpenedPictures{set, file.SHA256, content}, nil
}

// WithoutPictures reports whether an error means that a job has no pictures, or damaged ones. Its
// report is complete without them.
func WithoutPictures(err error) bool {
	return Unreadable(err) != nil || errors.Is(err, pageimage.ErrInvalid)
}

// ListPagePictures serves GET /api/v1/preflight/{jobId}/pages.
func (s *surface) ListPagePictures(c *gate.Call, jobID JobID) (ListPagePicturesResponseObject, error) {
	set, err := OpenPictures(c.Context(), s.Jobs, c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	defer set.Close()
	if c.Revalidate(`"` + set.Digest + `"`) {
		return ListPagePictures304Response{}, nil
	}
	model := PagePictures{Pages: []PagePicture{}}
	for _, p := range set.Pages() {
		model.Pages = append(model.Pages, PagePicture{
			Page: p.Number, Width: p.Width, Height: p.Height, PixelWidth: p.PixelWidth, PixelHeight: p.PixelHeight,
			Inks: append([]string{}, p.Inks...), Links: PictureLinks{Picture: fmt.Sprintf("%s/pages/%d.png", path(jobID), p.Number)},
		})
	}
	return ListPagePictures200JSONResponse(model), nil
}

// GetPagePicture serves GET /api/v1/preflight/{jobId}/pages/{page}.{format}.
func (s *surface) GetPagePicture(c *gate.Call, jobID JobID, page PageNumber, format PictureFormat, params GetPagePictureParams) (GetPagePictureResponseObject, error) {
	encode, known := encoders[format]
	if mediaType := "image/" + string(format); known && !c.Accepts(mediaType) {
		return nil, problem.New(problem.CodeNotAcceptable, "This path returns only %s.", mediaType)
	}
	layer, width := printedLayer, 0
	if params.Layer != nil {
		layer = *params.Layer
	}
	if params.Width != nil {
		if width = *params.Width; width < pageimage.MinWidth || width > pageimage.MaxWidth {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter width must be an integer from %d to %d.", pageimage.MinWidth, pageimage.MaxWidth)
		}
	}
	set, err := OpenPictures(c.Context(), s.Jobs, c.Tenant(), jobID)
	if err != nil {
		return nil, s.problemOf(err)
	}
	defer set.Close()
	// The validator does not need the picture. A set never changes.
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %d %s", set.Digest, page, format, width, layer))
	tag := `"` + hex.EncodeToString(sum[:16]) + `"`
	drawable := slices.ContainsFunc(set.Pages(), func(p pageimage.Page) bool {
		return p.Number == page && (layer == printedLayer || layer == pageimage.Heat || slices.Contains(p.Inks, layer))
	})
	if !known || !drawable {
		return nil, problem.New(problem.CodeNotFound, "The job has no picture of page %d with this layer and format. The list of pages names the pages and their inks.", page)
	}
	if c.Revalidate(tag) {
		return GetPagePicture304Response{}, nil
	}
	if layer == printedLayer {
		layer = pageimage.Printed
	}
	drawn, err := s.Drawing.Picture(c.Context(), set.Set, page, layer, width, encode)
	if err != nil {
		return nil, err
	}
	if format == Webp {
		return GetPagePicture200ImageWebpResponse{Body: drawn}, nil
	}
	return GetPagePicture200ImagePngResponse{Body: drawn}, nil
}

// encoders write a picture. The best compression of PNG takes several times as long.
var encoders = map[PictureFormat]func(io.Writer, image.Image) error{
	Png:  (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode,
	Webp: func(w io.Writer, m image.Image) error { return nativewebp.Encode(w, m, nil) },
} // constant

// Drawing draws pictures, as many at the same time as it has slots. The zero value draws none.
type Drawing chan struct{}

// NewDrawing returns a Drawing with a slot for each processor.
func NewDrawing() Drawing { return make(Drawing, runtime.GOMAXPROCS(0)) }

// Picture returns an encoded picture; see [pageimage.Set.Picture]. It returns a problem if no slot becomes
// free in time.
func (d Drawing) Picture(ctx context.Context, set *pageimage.Set, page int, layer string, width int, encode func(io.Writer, image.Image) error) ([]byte, error) {
	waiting, cancel := context.WithTimeout(ctx, drawingWait)
	defer cancel()
	select {
	case d <- struct{}{}:
	case <-waiting.Done():
		return nil, problem.New(problem.CodeOverloaded, "The server is drawing too many pictures at once.").With(waiting.Err()).After(time.Second)
	}
	defer func() { <-d }()
	made, err := set.Picture(page, layer, width)
	if err != nil {
		return nil, fmt.Errorf("draw picture: %w", err)
	}
	var out bytes.Buffer
	if err := encode(&out, made); err != nil {
		return nil, fmt.Errorf("draw picture: %w", err)
	}
	return out.Bytes(), nil
}
