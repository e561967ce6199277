// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
)

const (
	xjmfSecret  = "printmarket-test-vector-secret-01"
	xjmfTime    = "1795165200"
	xjmfInstant = "2026-11-20T09:00:00Z"
	xjmfBody    = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2">
  <Header DeviceID="MIS" ID="M1" Time="2026-11-20T09:00:00Z"/>
  <SignalStatus>
    <Header DeviceID="PRESS-1" ID="S1" Time="2026-11-20T09:00:00Z"/>
    <DeviceInfo Status="Production"><JobPhase JobID="job-1" Status="InProgress"/></DeviceInfo>
  </SignalStatus>
</XJMF>
`
)

// xjmfVerb runs `printmarket xjmf ...` with a secret in its environment.
func xjmfVerb(t *testing.T, input string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"xjmf"}, args...)...)
	command.Env = append(os.Environ(), "PRINTMARKET_XJMF_SECRET="+xjmfSecret, "PRINTMARKET_XJMF_SENDER=acme-mis", "PRINTMARKET_API_URL=")
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &out, &errs
	var exit *exec.ExitError
	if err := command.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if strings.Contains(out.String()+errs.String(), xjmfSecret) {
		t.Errorf("xjmf %v shows the secret", args)
	}
	return out.String(), errs.String(), command.ProcessState.ExitCode()
}

func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatalf("os.WriteFile(%q): %v", path, err)
	}
	return path
}

func TestXJMFSign(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "status.xjmf", xjmfBody)
	other := fileOf(t, "secret", "printmarket-test-vector-secret-02\n")
	headers := func(sender string, scheme credential.SignatureScheme, secret credential.Secret) string {
		return "X-XJMF-Sender: " + sender + "\nX-XJMF-Timestamp: " + xjmfTime +
			"\nX-XJMF-Signature: " + credential.Sign(scheme, secret, xjmfTime, []byte(xjmfBody)) + "\n"
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a file":                        {[]string{file}, headers("acme-mis", credential.SignedBody, xjmfSecret)},
		"standard input":                {[]string{"-"}, headers("acme-mis", credential.SignedBody, xjmfSecret)},
		"with the timestamp":            {[]string{file, "--scheme", "TimestampBody"}, headers("acme-mis", credential.SignedTimestampBody, xjmfSecret)},
		"another sender and its secret": {[]string{file, "--sender", "stark-mis", "--secret-file", other}, headers("stark-mis", credential.SignedBody, "printmarket-test-vector-secret-02")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, code := xjmfVerb(t, xjmfBody, append([]string{"sign", "--timestamp", xjmfTime}, c.args...)...)
			if code != 0 {
				t.Fatalf("exit %d: %s", code, errs)
			}
			if diff := cmp.Diff(c.want, out); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestXJMFVerbsReportInvalidArguments(t *testing.T) {
	t.Parallel()
	file := fileOf(t, "status.xjmf", xjmfBody)
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"an invalid timestamp":         {[]string{"sign", file, "--timestamp", "now"}, "a timestamp is Unix time"},
		"an invalid scheme":            {[]string{"sign", file, "--scheme", "Header"}, "unknown signature scheme"},
		"a secret that is too short":   {[]string{"sign", file, "--secret-file", fileOf(t, "short", "short")}, "needs at least 32"},
		"a secret that is not there":   {[]string{"sign", file, "--secret-file", file + ".none"}, "read the secret"},
		"an empty secret":              {[]string{"sign", file, "--secret-file", fileOf(t, "empty", "\n")}, "no secret is given"},
		"a sender of two lines":        {[]string{"sign", file, "--sender", "a\nb"}, "no valid sender is given"},
		"a body that is not there":     {[]string{"sign", file + ".none"}, "no such file"},
		"a body that is too long":      {[]string{"sign", fileOf(t, "long", strings.Repeat("x", 1<<20+1))}, "more than 1048576 bytes"},
		"headers that are not there":   {[]string{"verify", file, "--headers", file + ".none"}, "no such file"},
		"an invalid time":              {[]string{"verify", file, "--headers", file, "--at", "now"}, `"--at" flag: must be a time such as 2026`},
		"a missing URL":                {[]string{"send", file}, "no URL is given"},
		"an invalid URL":               {[]string{"send", file, "--url", "api.example.com"}, "the URL must be like"},
		"a URL with a password":        {[]string{"send", file, "--url", "https://a:b@api.example.com/"}, "the URL must be like"},
		"plain text across a network":  {[]string{"send", file, "--url", "http://api.example.com/"}, "only over https or to this machine"},
		"a closed port":                {[]string{"send", file, "--url", "http://" + freeAddr(t) + "/"}, "connection refused"},
		"an argument that is a secret": {[]string{"sign", file, "--secret", xjmfSecret[:8]}, "unknown flag: --secret"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, errs, code := xjmfVerb(t, "", c.args...); code != 1 || !strings.Contains(errs, c.want) || out != "" {
				t.Errorf("exit %d, %q, %q; want exit 1 and %q", code, out, errs, c.want)
			}
		})
	}
}

func TestXJMFVerifyNamesTheInvalidPart(t *testing.T) {
	t.Parallel()
	sign := func(scheme credential.SignatureScheme, body string) string {
		return credential.Sign(scheme, xjmfSecret, xjmfTime, []byte(body))
	}
	right := sign(credential.SignedBody, xjmfBody)
	type faults map[string]string
	for name, c := range map[string]struct {
		body, signature, timestamp string
		sender                     string
		args                       []string
		want                       faults
	}{
		"nothing":                            {},
		"nothing, with the timestamp signed": {signature: sign(credential.SignedTimestampBody, xjmfBody), args: []string{"--scheme", "TimestampBody"}},
		"the other scheme":                   {signature: sign(credential.SignedTimestampBody, xjmfBody), want: faults{"signature": "the signature has the scheme TimestampBody instead of Body"}},
		"another body":                       {signature: sign(credential.SignedBody, "x"), want: faults{"signature": "the signature is of another body or another secret"}},
		"upper-case digits":                  {signature: "sha256=" + strings.ToUpper(right[7:]), want: faults{"signature": "write the signature as sha256= and lower-case hexadecimal digits"}},
		"bare digits":                        {signature: right[7:], want: faults{"signature": "write the signature as sha256= and lower-case hexadecimal digits"}},
		"a word":                             {signature: "signed", want: faults{"signature": "the value is not sha256= and 64 hexadecimal digits"}},
		"a line end that was not signed":     {signature: sign(credential.SignedBody, strings.TrimSpace(xjmfBody)), want: faults{"signature": "the signature is of the body without its final line break"}},
		"a line end that is not in the file": {body: strings.TrimSpace(xjmfBody), want: faults{"signature": "the signature is of the body with an additional line break"}},
		"no signature":                       {signature: "none", want: faults{"signature": "the request has 0 headers X-XJMF-Signature instead of one"}},
		"no sender":                          {sender: "none", want: faults{"sender": "the request has 0 headers X-XJMF-Sender instead of one"}},
		"an old timestamp":                   {args: []string{"--at", "2026-11-20T09:05:01Z"}, want: faults{"timestamp": "5m1s ago, and 5m0s are allowed"}},
		"a timestamp to come":                {args: []string{"--at", "2026-11-20T08:54:59Z"}, want: faults{"timestamp": "5m1s ahead of the clock, and 5m0s are allowed", "body": "is in the future"}},
		"another window":                     {args: []string{"--at", "2026-11-20T09:00:31Z", "--window", "30s"}, want: faults{"timestamp": "31s ago, and 30s are allowed"}},
		"an invalid timestamp":               {timestamp: "today", want: faults{"timestamp": "a timestamp is Unix time in 10 digits (seconds) or 13 (milliseconds), or RFC 3339 with a zone"}},
		"an invalid status": {
			body: strings.Replace(xjmfBody, "InProgress", "Running", 1), signature: sign(credential.SignedBody, strings.Replace(xjmfBody, "InProgress", "Running", 1)),
			want: faults{"body": `line 5, XJMF/SignalStatus/DeviceInfo/JobPhase/@Status: "Running" is not a value of JobPhase/@Status: write InProgress`},
		},
		"an invalid body":     {body: "{", signature: sign(credential.SignedBody, "{"), want: faults{"body": "read XJDF"}},
		"a body of last week": {args: []string{"--at", "2026-11-27T09:00:00Z", "--window", "999h"}, want: faults{"body": "is too long ago"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			value := func(given, fallback string) string {
				if given == "" {
					return fallback
				}
				return given
			}
			var headers strings.Builder
			for header, text := range map[string]string{
				"x-xjmf-sender": value(c.sender, "acme-mis"), "X-XJMF-Timestamp": value(c.timestamp, xjmfTime), "X-Xjmf-Signature": value(c.signature, right),
			} {
				if text != "none" {
					headers.WriteString("> " + header + ": " + text + "\r\n")
				}
			}
			args := append([]string{
				"verify", fileOf(t, "status.xjmf", value(c.body, xjmfBody)), "--headers", fileOf(t, "headers", headers.String()), "--at", xjmfInstant,
			}, c.args...)
			out, errs, code := xjmfVerb(t, "", args...)
			if wantCode := map[bool]int{true: 0, false: 2}[len(c.want) == 0]; code != wantCode || errs != "" {
				t.Errorf("exit %d, %s; want exit %d", code, errs, wantCode)
			}
			for i, part := range []string{"sender", "signature", "timestamp", "body"} {
				line := strings.Split(out, "\n")[i]
				if !strings.HasPrefix(line, part) || !strings.Contains(line, value(c.want[part], "  ok")) {
					t.Errorf("%s: %q, want %q", part, line, c.want[part])
				}
			}
		})
	}
}

func TestXJMFSend(t *testing.T) {
	t.Parallel()
	const answer = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0"><Header DeviceID="P" Time="2026-11-20T09:00:00Z"/><ResponseStatus ReturnCode="0"/></XJMF>`
	for name, c := range map[string]struct {
		body, mediaType string
		status          int
		answer          string
		wantCode        int
		wantOut         string
	}{
		"XML that is taken":       {xjmfBody, "application/vnd.cip4-xjmf+xml", 200, answer, 0, answer + "\n"},
		"JSON that is taken":      {`{"Name":"XJMF"}`, "application/vnd.cip4-xjmf+json", 200, answer, 0, answer + "\n"},
		"what is not implemented": {xjmfBody, "application/vnd.cip4-xjmf+xml", 200, strings.Replace(answer, `"0"`, `"5"`, 1), 2, strings.Replace(answer, `"0"`, `"5"`, 1) + "\n"},
		"what is refused":         {xjmfBody, "application/vnd.cip4-xjmf+xml", 401, "{\r\n\t\"code\": \"X\x1b[31m\"\n}\n", 2, "{\n  \"code\": \"X\uFFFD[31m\"\n}\n"},
		"a redirect":              {xjmfBody, "application/vnd.cip4-xjmf+xml", 307, "", 2, "\n"},
		"an invalid answer":       {xjmfBody, "application/vnd.cip4-xjmf+xml", 200, "ok", 2, "ok\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Errorf("io.ReadAll: %v", err)
				}
				secrets := []credential.Secret{xjmfSecret}
				timestamp := r.Header.Get("X-XJMF-Timestamp")
				if !credential.VerifySignature(credential.SignedTimestampBody, secrets, r.Header.Get("X-XJMF-Signature"), timestamp, body) || string(body) != c.body {
					t.Error("the signature does not hold")
				}
				if r.URL.Path != "/api/v1/webhooks/xjmf" || r.Header.Get("X-XJMF-Sender") != "acme-mis" || r.Header.Get("Content-Type") != c.mediaType {
					t.Errorf("%s with %v", r.URL, r.Header)
				}
				w.Header().Set("Location", "http://127.0.0.1:1/")
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.answer)
			}))
			defer server.Close()
			out, errs, code := xjmfVerb(t, c.body, "send", "-", "--scheme", "TimestampBody", "--url", server.URL+"/api/v1/webhooks/xjmf")
			if code != c.wantCode || out != c.wantOut || !strings.HasPrefix(errs, http.StatusText(c.status)) && !strings.Contains(errs, http.StatusText(c.status)) {
				t.Errorf("exit %d, %q, %q; want exit %d and %q", code, out, errs, c.wantCode, c.wantOut)
			}
		})
	}
}

// TestXJMFCommandsPrintJSON signs a callback, checks it, breaks it and sends it,
// each by what the command before has printed.
func TestXJMFCommandsPrintJSON(t *testing.T) {
	t.Parallel()
	run := func(into any, wantCode int, args ...string) {
		t.Helper()
		out, errs, code := xjmfVerb(t, xjmfBody, append(args, "-o", "json")...)
		if code != wantCode || errs != "" {
			t.Fatalf("xjmf %v: exit %d, %s; want exit %d", args, code, errs, wantCode)
		}
		if err := json.Unmarshal([]byte(out), into); err != nil {
			t.Fatalf("xjmf %v: %v: %s", args, err, out)
		}
	}
	var signed struct{ Headers map[string]string }
	run(&signed, 0, "sign", "-", "--timestamp", xjmfTime)
	var headers strings.Builder
	for _, name := range []string{"X-XJMF-Sender", "X-XJMF-Timestamp", "X-XJMF-Signature"} {
		headers.WriteString(name + ": " + signed.Headers[name] + "\n")
	}
	type checked struct {
		Accepted bool
		Parts    []struct{ Part, Fault string }
	}
	var right, late checked
	file := fileOf(t, "headers", headers.String())
	run(&right, 0, "verify", "-", "--headers", file, "--at", xjmfInstant)
	run(&late, 2, "verify", "-", "--headers", file, "--at", "2026-11-20T09:05:01Z")
	want := checked{Accepted: true, Parts: []struct{ Part, Fault string }{{Part: "sender"}, {Part: "signature"}, {Part: "timestamp"}, {Part: "body"}}}
	if diff := cmp.Diff(want, right); diff != "" {
		t.Errorf("as it was signed (-want +got):\n%s", diff)
	}
	want.Accepted, want.Parts[2].Fault = false, "5m1s ago, and 5m0s are allowed"
	if diff := cmp.Diff(want, late); diff != "" {
		t.Errorf("too late (-want +got):\n%s", diff)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "{\"code\": \"X\x1b[31m\"}\n")
	}))
	defer server.Close()
	var sent struct {
		Accepted       bool
		Status, Answer string
	}
	run(&sent, 2, "send", "-", "--url", server.URL)
	if sent.Accepted || sent.Status != "401 Unauthorized" || sent.Answer != "{\"code\": \"X\x1b[31m\"}\n" {
		t.Errorf("sent %+v", sent)
	}
}
