// SPDX-License-Identifier: Apache-2.0

package pdftest

import (
	"fmt"
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/datamatrix"
	"github.com/makiuchi-d/gozxing/oned"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// Modules returns the modules of a bar code, QR code or Data Matrix without quiet zone, row by row from the
// top; dark ones are true. A bar code has one row. The symbology is EAN-13, EAN-8, UPC-A, Code 128,
// ITF, QR Code or Data Matrix. It panics on a content that the symbology cannot hold.
func Modules(symbology, content string) [][]bool {
	writers := map[string]struct {
		format gozxing.BarcodeFormat
		writer gozxing.Writer
	}{
		"EAN-13":      {gozxing.BarcodeFormat_EAN_13, oned.NewEAN13Writer()},
		"EAN-8":       {gozxing.BarcodeFormat_EAN_8, oned.NewEAN8Writer()},
		"UPC-A":       {gozxing.BarcodeFormat_UPC_A, oned.NewUPCAWriter()},
		"Code 128":    {gozxing.BarcodeFormat_CODE_128, oned.NewCode128Writer()},
		"ITF":         {gozxing.BarcodeFormat_ITF, oned.NewITFWriter()},
		"QR Code":     {gozxing.BarcodeFormat_QR_CODE, qrcode.NewQRCodeWriter()},
		"Data Matrix": {gozxing.BarcodeFormat_DATA_MATRIX, datamatrix.NewDataMatrixWriter()},
	}
	w := writers[symbology]
	bits, err := w.writer.Encode(content, w.format, 1, 1, map[gozxing.EncodeHintType]any{gozxing.EncodeHintType_MARGIN: 0})
	if err != nil {
		panic(fmt.Sprintf("encode %q as %s: %v", content, symbology, err))
	}
	out := make([][]bool, bits.GetHeight())
	for y := range out {
		for x := range bits.GetWidth() {
			out[y] = append(out[y], bits.Get(x, y))
		}
	}
	return out
}

// Code returns content that fills the modules of a code in the current colour. Its lower left
// corner is at x and y. module is the width of a module, height that of each row of modules, all
// in points.
func Code(modules [][]bool, x, y, module, height float64) string {
	var out strings.Builder
	for i, row := range modules {
		bottom := y + float64(len(modules)-1-i)*height
		for from := 0; from < len(row); from++ {
			to := from
			for to < len(row) && row[to] {
				to++
			}
			if to > from {
				fmt.Fprintf(&out, "%.4f %.4f %.4f %.4f re f\n", x+float64(from)*module, bottom, float64(to-from)*module, height)
			}
			from = to
		}
	}
	return out.String()
}
