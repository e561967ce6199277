// SPDX-License-Identifier: Apache-2.0

package codec_test

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/ccitt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/codec"
)

// faxed returns a page of text and patterns that a TIFF device of Ghostscript has coded.
func faxed(t testing.TB, device string, width, height int) []byte {
	t.Helper()
	var page strings.Builder
	page.WriteString("%!\n/Helvetica findfont 20 scalefont setfont\n")
	for y := range height / 30 {
		fmt.Fprintf(&page, "5 %d moveto (Fax %d: x+y=z) show %d %d %d 1 rectfill\n", y*30, y, y*7, y*30+22, 50+y*97)
	}
	page.WriteString("showpage\n")
	file := filepath.Join(t.TempDir(), "out.tif")
	command := exec.CommandContext(t.Context(), "gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE="+device, "-r72", "-dAdjustWidth=0", "-dMaxStripSize=0",
		fmt.Sprintf("-dDEVICEWIDTHPOINTS=%d", width), fmt.Sprintf("-dDEVICEHEIGHTPOINTS=%d", height), "-sOutputFile="+file, "-")
	command.Stdin = strings.NewReader(page.String())
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("gs: %v\n%s", err, out)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 'M' {
		order = binary.BigEndian
	}
	var at, size uint32
	directory := data[order.Uint32(data[4:]):]
	for i := range int(order.Uint16(directory)) {
		entry := directory[2+12*i:]
		value := order.Uint32(entry[8:])
		if order.Uint16(entry[2:]) == 3 {
			value = uint32(order.Uint16(entry[8:]))
		}
		switch tag := order.Uint16(entry); {
		case tag == 273:
			at = value
		case tag == 279:
			size = value
		case tag == 256 && int(value) != width, tag == 257 && int(value) != height, tag == 266 && value != 1:
			t.Fatalf("tag %d of the TIFF is %d", tag, value)
		}
	}
	return data[at : at+size]
}

// TestFaxOfGroupThree compares the pixels of a page with those of the same page in Group 4, which another
// decoder reads.
func TestFaxOfGroupThree(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		device        string
		width, height int
		options       codec.FaxOptions
	}{
		"rows of runs":                  {"tiffg3", 700, 400, codec.FaxOptions{}},
		"a width that is no whole byte": {"tiffg3", 701, 100, codec.FaxOptions{}},
		"long runs":                     {"tiffg3", 6001, 60, codec.FaxOptions{}},
		"mixed rows":                    {"tiffg32d", 701, 400, codec.FaxOptions{Mixed: true}},
		"rows without ends":             {"tiffcrle", 701, 400, codec.FaxOptions{Aligned: true}},
		"an unknown number of rows":     {"tiffg3", 700, 400, codec.FaxOptions{Rows: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := io.ReadAll(ccitt.NewReader(bytes.NewReader(faxed(t, "tiffg4", test.width, test.height)), ccitt.MSB, ccitt.Group4, test.width, test.height, nil))
			if err != nil {
				t.Fatalf("Group 4: %v", err)
			}
			test.options.Columns = test.width
			if test.options.Rows == 0 {
				test.options.Rows = test.height
			}
			data := faxed(t, test.device, test.width, test.height)
			for _, black := range []bool{false, true} {
				test.options.BlackIsOne = black
				got, err := io.ReadAll(codec.NewFax(bufio.NewReader(bytes.NewReader(data)), test.options))
				if black {
					for i := range got {
						got[i] = ^got[i]
					}
				}
				if err != nil || !bytes.Equal(masked(got, test.width), masked(want, test.width)) {
					t.Errorf("black is one: %t: %d bytes, %v; want %d", black, len(got), err, len(want))
				}
			}
			// The rows before a fault are kept.
			cut, _ := io.ReadAll(codec.NewFax(bufio.NewReader(bytes.NewReader(data[:len(data)/2])), test.options))
			if len(cut) == 0 || len(cut) >= len(want) {
				t.Errorf("half of the data: %d bytes of %d", len(cut), len(want))
			}
		})
	}
}

// masked clears the bits behind the last pixel of each row.
func masked(rows []byte, width int) []byte {
	stride := (width + 7) / 8
	out := slices.Clone(rows)
	for i := stride - 1; i < len(out) && width%8 > 0; i += stride {
		out[i] &= 0xff << (8 - width%8)
	}
	return out
}

// FuzzFax decodes any data.
func FuzzFax(f *testing.F) {
	f.Add([]byte{0x00, 0x1a, 0x35, 0xd0}, 40, true, false)
	f.Add(faxed(f, "tiffg32d", 100, 40), 100, true, false)
	f.Add(faxed(f, "tiffcrle", 100, 40), 100, false, true)
	f.Fuzz(func(t *testing.T, data []byte, columns int, mixed, aligned bool) {
		if columns < 1 || columns > 1<<12 {
			return
		}
		fax := codec.NewFax(bufio.NewReader(bytes.NewReader(data)), codec.FaxOptions{Columns: columns, Rows: 100, Mixed: mixed, Aligned: aligned})
		if got, _ := io.ReadAll(fax); len(got) > 100*((columns+7)/8) || len(got)%((columns+7)/8) != 0 {
			t.Errorf("%d bytes of rows of %d pixels", len(got), columns)
		}
	})
}
