package preflight_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
)

func TestDumpFlaws(t *testing.T) {
	dir := os.Getenv("DUMP")
	if dir == "" {
		t.Skip()
	}
	for i, f := range pdftest.Flaws() {
		os.WriteFile(fmt.Sprintf("%s/%03d-%s-breaks.pdf", dir, i, f.Rule), f.Breaks(), 0o644)
		os.WriteFile(fmt.Sprintf("%s/%03d-%s-twin.pdf", dir, i, f.Rule), f.Twin(), 0o644)
	}
	os.WriteFile(dir+"/good.pdf", pdftest.Good(), 0o644)
}
