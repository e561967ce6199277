// SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
)

// profile returns a minimal profile with a description tag.
func profile(space, class string, tag []byte) []byte {
	data := make([]byte, 128+4+12)
	copy(data[8:], []byte{4, 0x30})
	copy(data[12:], class)
	copy(data[16:], space)
	copy(data[20:], "Lab ")
	copy(data[36:], "acsp")
	binary.BigEndian.PutUint32(data[128:], 1)
	copy(data[132:], "desc")
	binary.BigEndian.PutUint32(data[136:], uint32(len(data)))
	binary.BigEndian.PutUint32(data[140:], uint32(len(tag)))
	data = slices.Concat(data, tag)
	binary.BigEndian.PutUint32(data, uint32(len(data)))
	return data
}

func plain(text string) []byte {
	tag := append([]byte("desc\x00\x00\x00\x00\x00\x00\x00\x00"), text...)
	binary.BigEndian.PutUint32(tag[8:], uint32(len(text)+1))
	return append(tag, 0)
}

func localized(text string) []byte {
	tag := make([]byte, 28)
	copy(tag, "mluc")
	binary.BigEndian.PutUint32(tag[8:], 1)
	binary.BigEndian.PutUint32(tag[12:], 12)
	copy(tag[16:], "enUS")
	binary.BigEndian.PutUint32(tag[20:], uint32(2*len(text)))
	binary.BigEndian.PutUint32(tag[24:], 28)
	for _, c := range text {
		tag = binary.BigEndian.AppendUint16(tag, uint16(c))
	}
	return tag
}

func changed(data []byte, at int, bytes ...byte) []byte {
	copy(data[at:], bytes)
	return data
}

func TestProfiles(t *testing.T) {
	t.Parallel()
	sound := document.ICCHeader{Version: "4.3", Class: "prtr", Space: "CMYK", Connection: "Lab", Description: "Coated"}
	tests := map[string]struct {
		data      []byte
		want      document.ICCHeader
		wantFault string
	}{
		"a description of version 2":         {data: profile("CMYK", "prtr", plain("Coated")), want: sound},
		"a description of version 4":         {data: profile("CMYK", "prtr", localized("Coated")), want: sound},
		"a description that is no text":      {data: profile("CMYK", "prtr", []byte("curv\x00\x00\x00\x00\x00\x00\x00\x00")), want: document.ICCHeader{Version: "4.3", Class: "prtr", Space: "CMYK", Connection: "Lab"}},
		"blanks are no part of a signature":  {data: profile("RGB ", "mntr", plain("sRGB")), want: document.ICCHeader{Version: "4.3", Class: "mntr", Space: "RGB", Connection: "Lab", Description: "sRGB"}},
		"too short for a header":             {data: make([]byte, 127), wantFault: "header"},
		"no profile at all":                  {data: make([]byte, 200), wantFault: "signature"},
		"shorter than declared":              {data: changed(profile("CMYK", "prtr", plain("Coated")), 0, 0x7f), wantFault: "size"},
		"an unknown class":                   {data: profile("CMYK", "abcd", plain("Coated")), wantFault: "class"},
		"an unknown colour space":            {data: profile("ABCD", "prtr", plain("Coated")), wantFault: "space"},
		"an unknown version":                 {data: changed(profile("CMYK", "prtr", plain("Coated")), 8, 9), wantFault: "version"},
		"more tags than bytes":               {data: changed(profile("CMYK", "prtr", plain("Coated")), 128, 0x7f), wantFault: "tag_count"},
		"a description outside":              {data: changed(profile("CMYK", "prtr", plain("Coated")), 136, 0xff), wantFault: "description"},
		"a header without a table of tags":   {data: changed(profile("CMYK", "prtr", nil)[:128], 0, 0, 0, 0, 128), wantFault: "tags"},
		"a name that cannot be shown is not": {data: profile("CMYK", "prtr", plain("A\nB")), want: document.ICCHeader{Version: "4.3", Class: "prtr", Space: "CMYK", Connection: "Lab", Description: "A\uFFFDB"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := document.ParseICC(tc.data)
			var fault *document.ICCFault
			if tc.wantFault != "" {
				if !errors.As(err, &fault) || fault.Reason != tc.wantFault {
					t.Fatalf("error %v, want a fault about %q", err, tc.wantFault)
				}
				return
			}
			tc.want.Size = len(tc.data)
			if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestChannels(t *testing.T) {
	t.Parallel()
	for space, want := range map[string]int{"GRAY": 1, "RGB": 3, "Lab": 3, "CMYK": 4, "6CLR": 6, "FCLR": 15, "0CLR": 0, "": 0, "ZCLR": 0} {
		h := document.ICCHeader{Space: space}
		if got := h.Channels(); got != want {
			t.Errorf("%q has %d channels, want %d", space, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(profile("CMYK", "prtr", plain("Coated")))
	f.Add(profile("RGB ", "mntr", localized("sRGB")))
	f.Add([]byte(nil))
	f.Fuzz(func(t *testing.T, data []byte) {
		h, err := document.ParseICC(data)
		if len([]rune(h.Description)) > 120 {
			t.Errorf("a description of %d characters", len(h.Description))
		}
		var fault *document.ICCFault
		if err != nil && !errors.As(err, &fault) {
			t.Errorf("an error that is no fault: %v", err)
		}
	})
}
