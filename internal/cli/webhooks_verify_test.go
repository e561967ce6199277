// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// vector is one of the published vectors, as partners' engineers read it.
type vector struct {
	Name    string
	Secrets []string
	Body    string
	Headers map[string]string
}

func publishedVectors(t *testing.T) []vector {
	t.Helper()
	text, err := os.ReadFile("../../docs/examples/webhooks/vectors.json")
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var file struct{ Vectors []vector }
	if err := json.Unmarshal(text, &file); err != nil || len(file.Vectors) == 0 {
		t.Fatalf("%d vectors, %v", len(file.Vectors), err)
	}
	return file.Vectors
}

// lines are the header fields as a receiver logs them.
func (v vector) lines() string {
	var lines strings.Builder
	for name, value := range v.Headers {
		lines.WriteString(name + ": " + value + "\r\n")
	}
	return lines.String()
}

// vectorInstant is the time of every published vector.
const vectorInstant = "2026-01-01T00:00:00Z"

// verifyWebhook runs `printmarket webhooks verify` with a secret in its environment.
func verifyWebhook(t *testing.T, secret, input string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"webhooks", "verify"}, args...)...)
	command.Env = append(os.Environ(), "PRINTMARKET_WEBHOOK_SECRET="+secret)
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &out, &errs
	_ = command.Run() // the caller checks the exit code
	if secret != "" && strings.Contains(out.String()+errs.String(), secret) {
		t.Errorf("verify %v shows the secret", args)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

func TestThePublishedDeliveriesAreVerifiedInEveryForm(t *testing.T) {
	t.Parallel()
	const want = "X-Marketplace-Signature  ok\nwebhook-id               ok\nwebhook-timestamp        ok\nwebhook-signature        ok\n"
	for _, v := range publishedVectors(t) {
		fields := []string{"--at", vectorInstant}
		for name, value := range v.Headers {
			fields = append(fields, "-H", name+": "+value)
		}
		lines := "-H=@" + fileOf(t, "headers", v.lines())
		for sentence, tc := range map[string]struct {
			secret, input string
			args          []string
		}{
			"fields as for curl, a body on standard input":  {v.Secrets[0], v.Body, append([]string{"-"}, fields...)},
			"a file of fields, a body in a file":            {v.Secrets[0], "", []string{fileOf(t, "body", v.Body), lines, "--at", vectorInstant}},
			"fields as curl -v shows them":                  {v.Secrets[0], v.Body, []string{"-", "-H=@" + fileOf(t, "shown", "< "+strings.ReplaceAll(v.lines(), "\r\nw", "\r\n< w")), "--at", vectorInstant}},
			"a secret in a file, with an editor's line end": {"", v.Body, []string{"-", lines, "--at", vectorInstant, "--secret-file", fileOf(t, "secret", v.Secrets[0]+"\n")}},
			"a tolerance as long as the years since":        {v.Secrets[0], v.Body, []string{"-", lines, "--tolerance", "876000h"}},
		} {
			if out, errs, code := verifyWebhook(t, tc.secret, tc.input, tc.args...); code != 0 || out != want || errs != "" {
				t.Errorf("%s: %s: exit %d, %s%s", v.Name, sentence, code, out, errs)
			}
		}
	}
}

func TestInvalidDeliveryExitsWithOneAndItsReason(t *testing.T) {
	t.Parallel()
	v := publishedVectors(t)[0]
	fields := "-H=@" + fileOf(t, "headers", v.lines())
	out, errs, code := verifyWebhook(t, v.Secrets[0], v.Body+"\n", "-", fields, "--at", "2026-01-01T00:05:01Z")
	const want = "X-Marketplace-Signature  the body has a final line break that was not signed\n" +
		"webhook-id               ok\n" +
		"webhook-timestamp        5m1s ago, and 5m0s are allowed\n" +
		"webhook-signature        the body has a final line break that was not signed\n"
	if diff := cmp.Diff(want, out); diff != "" || code != 1 || errs != "" {
		t.Errorf("exit %d, %s, printed (-want +got):\n%s", code, errs, diff)
	}
	var found struct {
		Accepted bool
		Parts    []struct{ Part, Fault string }
	}
	out, _, code = verifyWebhook(t, v.Secrets[0], v.Body+"\n", "-", fields, "--at", vectorInstant, "-o", "json")
	if err := json.Unmarshal([]byte(out), &found); err != nil || code != 1 || found.Accepted || len(found.Parts) != 4 ||
		found.Parts[1].Fault != "" || found.Parts[3].Part != "webhook-signature" || found.Parts[3].Fault == "" {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
}

func TestVerifyReportsWhyASignatureIsInvalid(t *testing.T) {
	t.Parallel()
	v := publishedVectors(t)[0]
	fields := "-H=@" + fileOf(t, "headers", v.lines())
	for sentence, tc := range map[string]struct {
		secret, input string
		args          []string
		want          string
	}{
		"no secret":                            {"", v.Body, []string{"-", fields}, "set --secret-file or PRINTMARKET_WEBHOOK_SECRET"},
		"a secret as an argument":              {"", v.Body, []string{"-", fields, "--secret", "whsec_"}, "unknown flag: --secret"},
		"no header field":                      {v.Secrets[0], v.Body, []string{"-"}, `required flag(s) "header" not set`},
		"a header field without a colon":       {v.Secrets[0], v.Body, []string{"-", "-H", "webhook-id\x1b[31m"}, "--header must be 'name: value' or @FILE"},
		"a file that is not there":             {v.Secrets[0], "", []string{"none.json", fields}, "none.json: no such file"},
		"a file of fields that is not there":   {v.Secrets[0], v.Body, []string{"-", "-H", "@none"}, "none: no such file"},
		"a body that is longer than any":       {v.Secrets[0], strings.Repeat(" ", 1<<20+1), []string{"-", fields}, "more than 1048576 bytes"},
		"too many header fields":               {v.Secrets[0], v.Body, []string{"-", "-H=@" + fileOf(t, "many", strings.Repeat("webhook-id: x\n", 5000))}, "more than 65536 bytes"},
		"an invalid time":                      {v.Secrets[0], v.Body, []string{"-", fields, "--at", "yesterday"}, `"--at" flag: must be a time such as 2026`},
		"two bodies, of which one is mistaken": {v.Secrets[0], v.Body, []string{"-", "-", fields}, "accepts 1 arg"},
	} {
		if out, errs, code := verifyWebhook(t, tc.secret, tc.input, tc.args...); code != 1 || out != "" || !strings.Contains(errs, tc.want) || strings.Contains(errs, "\x1b") {
			t.Errorf("%s: exit %d, %q, %q; want %q", sentence, code, out, errs, tc.want)
		}
	}
}

func TestControlBytesAreEscapedOnTheTerminal(t *testing.T) {
	t.Parallel()
	v := publishedVectors(t)[0]
	out, errs, code := verifyWebhook(t, v.Secrets[0], "\x1b[31m\xff\x00", "-", "-H", "webhook-signature: \x1b[31m\xff", "-H", "\xff\x1b: x", "--at", vectorInstant)
	if code != 1 || errs != "" || strings.ContainsAny(out, "\x1b\x00") || strings.Count(out, "\n") != 4 {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
}
