// SPDX-License-Identifier: Apache-2.0

package xjdf_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// outside is a program of another module, which validates a document.
const outside = `package main

import (
	"fmt"
	"os"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
)

func main() {
	body, _ := os.ReadFile(os.Args[1])
	document, err := xjdf.Parse(body, xjdf.DefaultLimits)
	if err != nil {
		panic(err)
	}
	report := validate.New().Validate(document, validate.Options{Profile: validate.Strict})
	fmt.Println(report.Valid, report.Findings[0].Code)
}
`

func TestAnotherModuleValidatesADocumentInTenLines(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatalf("filepath.Abs: %v", err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	_, body, _ := strings.Cut(outside, ")\n")
	if n := strings.Count(strings.TrimSpace(body), "\n") + 1; n > 10 {
		t.Errorf("the program has %d lines below its imports", n)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"main.go": outside, "go.sum": string(sums),
		"go.mod":     "module example.com/outside\n\ngo 1.26\n\nrequire github.com/printmarket/printmarket v0.0.0\n\nreplace github.com/printmarket/printmarket => " + root + "\n",
		"order.xjdf": `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J1" Types="Product"><ProductList><Product Amount="0" ProductType="Leaflet"/></ProductList></XJDF>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", ".", "order.xjdf")
	cmd.Dir = dir
	// The modules are those of this one, which are on the machine.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if want := "false AMOUNT_NONPOSITIVE\n"; err != nil || string(out) != want {
		t.Errorf("error %v, output %q, want %q", err, out, want)
	}
}
