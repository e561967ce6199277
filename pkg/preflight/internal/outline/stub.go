package outline

import (
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/geom"
)

type State int

const (
	Drawn State = iota
	Unknown
)

type Font struct{}

func Load(file *document.File, dict types.Dict, page int) *Font { return &Font{} }
func (f *Font) Glyph(code int) (*geom.Path, State)              { return nil, Unknown }
func (f *Font) Origin(code int) (x, y float64)                  { return 0, 0 }
