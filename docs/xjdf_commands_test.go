// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/cli"
)

// between stands between the outputs of two blocks.
const between = "\n--- the next block ---\n"

// TestCommandsOfTheXJDFGuideReturnTheShownAnswers runs the blocks in the order in
// which a reader pastes them, in one shell, against a platform of its own.
func TestCommandsOfTheXJDFGuideReturnTheShownAnswers(t *testing.T) {
	t.Parallel()
	blocks := fences(read(t, xjdfGuide))
	var script strings.Builder
	var want []string // what is shown after each block of commands
	for i, block := range blocks {
		if block[0] != "sh" {
			continue
		}
		script.WriteString(block[1] + "printf '" + strings.ReplaceAll(between, "\n", `\n`) + "'\n")
		shown := ""
		if i+1 < len(blocks) && strings.Contains(blocks[i+1][1], `"valid": `) {
			shown = blocks[i+1][1]
		}
		want = append(want, shown)
	}
	data := devPlatform(t)
	shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", strings.ReplaceAll(script.String(), ".printmarket/", data+"/"))
	shell.Dir = root
	printed, err := shell.CombinedOutput()
	outputs := strings.Split(string(printed), between)
	if err != nil || len(outputs) != len(want)+1 {
		t.Fatalf("%d of %d blocks ran: %v\n%s", len(outputs)-1, len(want), err, printed)
	}
	for i, shown := range want {
		if shown == "" {
			continue
		}
		if diff := cmp.Diff(lasting(t, shown), lasting(t, outputs[i])); diff != "" {
			t.Errorf("answer of block %d (-guide +printed):\n%s", i+1, diff)
		}
	}
	for i, words := range map[int][]string{
		0: {`"private-beta"`, `"productType":"Leaflet"`, "openapi: 3.1"},
		4: {"<RFQ ", `JobID="rfq_`, "<Quotation ", "Simulated Press One", "Simulated Press Two", `BusinessRefID="rfq_`},
		5: {`"trackingCode":"RFQ-`},
	} {
		for _, word := range words {
			if !strings.Contains(outputs[i], word) {
				t.Errorf("block %d printed no %s:\n%.2000s", i+1, word, outputs[i])
			}
		}
	}
}

// lasting returns a response without the members that differ each time.
func lasting(t *testing.T, text string) map[string]any {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if _, problem := answer["type"]; problem {
		delete(answer, "type") // has the address of the registry
		delete(answer, "requestId")
	}
	return answer
}

// devPlatform starts `printmarket dev` in this process and returns its data directory, whose
// dev.env contains the addresses.
func devPlatform(t *testing.T) string {
	t.Helper()
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"dev", "--data", data, "--workers", "0"}
	for _, flag := range []string{"--api-addr", "--registry-addr", "--ops-addr", "--dashboard-addr"} {
		args = append(args, flag, "127.0.0.1:0")
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var out, errs bytes.Buffer
	ended := make(chan int, 1)
	go func() { ended <- cli.Main(ctx, args, &out, &errs) }()
	t.Cleanup(func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("printmarket dev: exit %d: %s", code, errs.String())
		}
	})
	deadline := time.Now().Add(30 * time.Second)
	for {
		if _, err := os.Stat(filepath.Join(data, "dev.env")); err == nil {
			return data
		}
		select {
		case code := <-ended:
			ended <- code
			t.Fatalf("printmarket dev ended with %d: %s", code, errs.String())
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			t.Fatal("no dev.env after 30 s")
		}
	}
}
