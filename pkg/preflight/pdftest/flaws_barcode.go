// SPDX-License-Identifier: Apache-2.0

package pdftest

import "fmt"

// coded returns a page with a code in a colour. module is the width of a module in millimetres. More
// content precedes the code, which begins at 90 pt.
func coded(color, more string, modules [][]bool, module float64) func() []byte {
	height := MM(20)
	if len(modules) > 1 {
		height = MM(module)
	}
	return content(more + color + " " + Code(modules, 90, 200, MM(module), height))
}

func barcodeFlaws() []Flaw {
	const black, lean = "0 0 0 1 k", "0.9998 0.02 -0.02 0.9998 0 0 cm "
	ean := Modules("EAN-13", "4006381333931")
	itf := Modules("ITF", "14006381333938")
	short := Modules("Code 128", "A12")
	qr := Modules("QR Code", "https://printmarket.example/")
	dm := Modules("Data Matrix", "printmarket 2026")
	wrong := Modules("EAN-13", "4006381333931")
	// The check digit, which the modules 85 to 91 hold, is that of another code.
	copy(wrong[0][85:92], Modules("EAN-13", "9780201379624")[0][85:92])
	blank := make([][]bool, len(qr))
	for y := range qr {
		blank[y] = append([]bool{}, qr[y]...)
		for x := range blank[y] {
			if x > 8 && x < len(qr)-9 && y > 8 {
				blank[y][x] = (x+y)%2 == 0
			}
		}
	}
	filled := make([][]bool, len(dm))
	for y := range dm {
		filled[y] = append([]bool{}, dm[y]...)
		for x := range filled[y] {
			if x > 0 && x < len(dm)-1 && y > 0 && y < len(dm)-1 {
				filled[y][x] = (x+y)%2 == 0
			}
		}
	}
	beside := func(gap float64) string { return fmt.Sprintf("0 0 0 1 k %g 190 4 80 re f ", 90-gap-4) }
	const white, box = "0 0 0 0 k", "0 0 0 1 k 60 170 250 120 re f "
	return []Flaw{
		{Rule: "barcode.size", Breaks: coded(black, "", ean, 0.25), Twin: coded(black, "", ean, 0.264)},
		{Rule: "barcode.size", Variant: "large", Breaks: coded(black, "", ean, 0.7), Twin: coded(black, "", ean, 0.66)},
		{Rule: "barcode.size", Variant: "ITF-14", Breaks: coded(black, "", itf, 0.4), Twin: coded(black, "", itf, 0.5)},
		{Rule: "barcode.size", Variant: "Data Matrix whose modules meet inside of pixels", Breaks: coded(black, "1 0 0 1 0.41 0.7 cm ", dm, 0.22), Twin: coded(black, "1 0 0 1 0.41 0.7 cm ", dm, 0.3)},
		{Rule: "barcode.size", Variant: "of few wide bars", Breaks: coded(black, "", short, 0.17), Twin: coded(black, "", short, 0.5)},
		{Rule: "barcode.quiet_zone", Breaks: coded(black, beside(MM(0.33*8)), ean, 0.33), Twin: coded(black, beside(MM(0.33*11.2)), ean, 0.33)},
		{Rule: "barcode.quiet_zone", Variant: "two modules", Breaks: coded(black, beside(MM(0.33*2)), ean, 0.33), Twin: coded(black, "", ean, 0.33)},
		{Rule: "barcode.quiet_zone", Variant: "QR Code", Breaks: coded(black, beside(MM(0.5*2)), qr, 0.5), Twin: coded(black, beside(MM(0.5*4.5)), qr, 0.5)},
		{Rule: "barcode.quiet_zone", Variant: "small QR Code", Breaks: coded(black, beside(MM(0.3*2)), qr, 0.3), Twin: coded(black, beside(MM(0.3*4.5)), qr, 0.3)},
		{Rule: "barcode.quiet_zone", Variant: "QR Code that leans", Breaks: coded(black, lean+beside(MM(0.5*2)), qr, 0.5), Twin: coded(black, lean, qr, 0.5)},
		{Rule: "barcode.quiet_zone", Variant: "large QR Code", Breaks: coded(black, beside(MM(2.5*2)), qr, 2.5), Twin: coded(black, beside(MM(2.5*4.5)), qr, 2.5)},
		{Rule: "barcode.quiet_zone", Variant: "Data Matrix", Breaks: coded(black, beside(MM(0.5*0.5)), dm, 0.5), Twin: coded(black, beside(MM(0.5*1.1)), dm, 0.5)},
		{Rule: "barcode.contrast", Breaks: coded("0 1 1 0 k", "", ean, 0.33), Twin: coded("1 0.5 0 0 k", "", ean, 0.33)},
		{Rule: "barcode.contrast", Variant: "on a dark background", Breaks: coded(black, "0.7 0 0 0 k 60 190 250 80 re f ", ean, 0.33), Twin: coded(black, "0 0.7 0.7 0 k 60 190 250 80 re f ", ean, 0.33)},
		{Rule: "barcode.contrast", Variant: "on cyan", Breaks: coded(black, "1 0 0 0 k 60 190 250 80 re f ", ean, 0.33), Twin: coded(black, "0 0 1 0 k 60 190 250 80 re f ", ean, 0.33)},
		{Rule: "barcode.bar_inks", Breaks: coded("0.6 0.4 0.4 1 k", "", ean, 0.33), Twin: coded(black, "", ean, 0.33)},
		{Rule: "barcode.unreadable", Breaks: coded(black, "", wrong, 0.33), Twin: coded(black, "", ean, 0.33)},
		{Rule: "barcode.unreadable", Variant: "QR Code", Breaks: coded(black, "", blank, 0.5), Twin: coded(black, "", qr, 0.5)},
		{Rule: "barcode.unreadable", Variant: "QR Code of light modules", Breaks: coded(white, box, blank, 0.5), Twin: coded(white, box, qr, 0.5)},
		{Rule: "barcode.size", Variant: "Data Matrix of light modules", Breaks: coded(white, box, dm, 0.22), Twin: coded(white, box, dm, 0.5)},
		{Rule: "barcode.unreadable", Variant: "Data Matrix", Breaks: coded(black, "", filled, 0.5), Twin: coded(black, "", dm, 0.5)},
	}
}
