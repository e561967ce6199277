// SPDX-License-Identifier: Apache-2.0

package outline

import (
	"fmt"
	"sort"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/printmarket/printmarket/pkg/preflight/internal/document"
	"github.com/printmarket/printmarket/pkg/preflight/internal/lexer"
)

// The bounds of a CMap.
const (
	maxCMap   = 4 << 20
	maxRanges = 100_000
)

// cidMap maps character codes to CIDs (9.7.5). The zero value is Identity.
type cidMap struct {
	identity bool
	ranges   []cidRange
}

type cidRange struct{ first, last, cid int }

// readCIDs reads the Encoding of a composite font: Identity, or a CMap in the file. The
// predefined CMaps for Chinese, Japanese and Korean are not part of the product.
func readCIDs(file *document.File, o types.Object) (*cidMap, error) {
	if name := file.Name(o); name != "" {
		if strings.HasPrefix(name, "Identity") {
			return &cidMap{identity: true}, nil
		}
		return nil, fmt.Errorf("%w: predefined CMap", ErrUnsupported)
	}
	m := &cidMap{identity: file.Name(file.Dict(o)["UseCMap"]) != ""}
	data := file.Quietly(o)
	tokens := lexer.Of(data[:min(len(data), maxCMap)])
	var numbers []int
	section := ""
	for t := tokens.Next(); t.Kind != lexer.EOF && len(m.ranges) < maxRanges; t = tokens.Next() {
		switch t.Kind {
		case lexer.Keyword:
			section, numbers = string(t.Text), numbers[:0]
		case lexer.String:
			v := 0
			for _, b := range lexer.AppendText(nil, &t) {
				v = v<<8 | int(b)
			}
			numbers = append(numbers, v)
		case lexer.Number:
			numbers = append(numbers, int(t.Value))
		default:
		}
		tokens.Release()
		switch {
		case section == "begincidrange" && len(numbers) == 3:
			m.ranges = append(m.ranges, cidRange{numbers[0], numbers[1], numbers[2]})
			numbers = numbers[:0]
		case section == "begincidchar" && len(numbers) == 2:
			m.ranges = append(m.ranges, cidRange{numbers[0], numbers[0], numbers[1]})
			numbers = numbers[:0]
		}
	}
	sort.SliceStable(m.ranges, func(i, k int) bool { return m.ranges[i].first < m.ranges[k].first })
	return m, nil
}

func (m *cidMap) cid(code int) int {
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].first > code }) - 1
	if i >= 0 && code <= m.ranges[i].last {
		return m.ranges[i].cid + code - m.ranges[i].first
	}
	if m.identity {
		return code
	}
	return 0
}
