// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// terminalWidth returns the width of the terminal behind a writer, in characters; false
// without a terminal. A terminal with an unknown width gets the default width.
func terminalWidth(w io.Writer) (int, bool) {
	const usual = 80
	file, ok := w.(*os.File)
	if !ok {
		return 0, false
	}
	width, _, err := term.GetSize(int(file.Fd()))
	return cmp.Or(width, usual), err == nil
}

// progressBar is a line of a terminal with the progress of an inspection, or of the
// reading of a large file.
type progressBar struct {
	out   io.Writer
	width int
	name  string
	// unit names what is counted; pages if it is empty.
	unit  string
	shown string
}

// progressOn returns a function that shows the progress of a command on the terminal of its
// standard error, and a function that erases it. The first is nil without a terminal.
func progressOn(cmd *cobra.Command, unit, name string) (show func(done, total int), erase func()) {
	width, terminal := terminalWidth(cmd.ErrOrStderr())
	if !terminal || os.Getenv("TERM") == "dumb" {
		return nil, func() {}
	}
	bar := &progressBar{out: cmd.ErrOrStderr(), width: width, name: name, unit: unit}
	return bar.show, bar.clear
}

// show draws the line if it has changed.
func (b *progressBar) show(done, total int) {
	line := b.line(done, total)
	if line == b.shown {
		return
	}
	b.shown = line
	_, _ = io.WriteString(b.out, "\r\x1b[K"+line) // a bar that cannot be drawn harms nothing
}

// line returns a bar, numbers and the name, if there is room for it.
func (b *progressBar) line(done, total int) string {
	const cells = 24
	filled := 0
	if total > 0 {
		filled = min(cells, cells*done/total)
	}
	unit := cmp.Or(b.unit, "pages")
	line := fmt.Sprintf("[%s%s] %d of %d %s", strings.Repeat("=", filled), strings.Repeat(" ", cells-filled), done, total, unit)
	room := max(b.width-1, 0) // the last column would break the line
	if len(line) > room {
		return line[:room]
	}
	if len(line)+2+utf8.RuneCountInString(b.name) <= room {
		line += "  " + b.name
	}
	return line
}

// clear erases the line.
func (b *progressBar) clear() {
	if b.shown != "" {
		_, _ = io.WriteString(b.out, "\r\x1b[K") // see show
	}
}
