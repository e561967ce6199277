// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/signature"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

func verifyXJMFCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a callback with its headers, part by part (exit code 2: the API would refuse it)",
		Long: `Check a callback with its headers as the API does, and say which part is wrong.
The headers are lines as sign prints them and as curl -v shows them. Exit code 2
means that the API would refuse the callback, 1 that it could not be checked.`,
		Example: `  printmarket xjmf verify status.xjmf --headers headers --secret-file secret.txt
  printmarket xjmf verify status.xjmf --headers headers --at 2026-11-20T09:00:00Z`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	o.registerSecret(f)
	o.registerOutput(f)
	f.StringVar(&o.headers, "headers", "", "file with the headers (required)")
	f.StringVar(&o.at, "at", "", "time of the check, in RFC 3339 (default: now)")
	f.DurationVar(&o.window, "window", 5*time.Minute, "how far the timestamp may differ from it, as spec.replayWindowSeconds")
	_ = cmd.MarkFlagRequired("headers") // the flag exists
	return cmd
}

type verifyOptions struct {
	xjmfOptions
	headers, at string
	window      time.Duration
}

// part is one thing that is checked, and what is wrong with it; "" is nothing.
type part struct {
	Name  string `json:"part"`
	Fault string `json:"fault,omitempty"`
}

// checkedParts is what a check tells programs.
type checkedParts struct {
	Accepted bool   `json:"accepted"`
	Parts    []part `json:"parts"`
}

func (o *verifyOptions) run(cmd *cobra.Command, file string) error {
	body, err := readCallback(cmd, file)
	if err != nil {
		return err
	}
	parts, err := o.parts(body)
	if err != nil {
		return err
	}
	return checked(cmd, o.output, parts, exitFail)
}

func (o *verifyOptions) parts(body []byte) ([]part, error) {
	scheme, err := signature.ParseScheme(o.scheme)
	if err != nil {
		return nil, err
	}
	secret, err := o.secret()
	if err != nil {
		return nil, err
	}
	now, err := instantOf(o.at)
	if err != nil {
		return nil, err
	}
	headers := http.Header{}
	if err := readHeaders(headers, o.headers); err != nil {
		return nil, err
	}
	return []part{
		{"sender", missing(headers, senderHeader)},
		{"signature", signatureFault(headers, scheme, secret, body)},
		{"timestamp", timestampFault(headers, now, o.window)},
		{"body", bodyFault(body, now)},
	}, nil
}

// instantOf is the value of --at; empty is now.
func instantOf(at string) (time.Time, error) {
	if at == "" {
		return time.Now(), nil
	}
	instant, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return time.Time{}, fmt.Errorf("--at %q is not RFC 3339", at)
	}
	return instant, nil
}

// checked prints what was found of each part; programs get all of it as one document.
// It fails with refusal if there is a fault.
func checked(cmd *cobra.Command, output string, parts []part, refusal error) error {
	found := checkedParts{Parts: parts, Accepted: !slices.ContainsFunc(parts, func(p part) bool { return p.Fault != "" })}
	err := printOutput(cmd, output, found, func(w io.Writer) {
		for _, p := range parts {
			line(w, p.Name, cmp.Or(p.Fault, "ok"))
		}
	})
	if err == nil && !found.Accepted {
		err = refusal
	}
	return err
}

// maxHeaders is more than a few headers need, and what else curl shows.
const maxHeaders = 64 << 10

// readHeaders reads headers from a file. Lines that are none are let pass.
func readHeaders(headers http.Header, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxHeaders+1))
	if err != nil {
		return err
	}
	if len(text) > maxHeaders {
		return fmt.Errorf("%s has more than %d bytes, which no headers need", name, maxHeaders)
	}
	for line := range strings.Lines(string(text)) {
		addHeader(headers, strings.TrimPrefix(strings.TrimPrefix(line, "> "), "< "))
	}
	return nil
}

// addHeader adds the header of a line, and reports whether it is one.
func addHeader(headers http.Header, line string) bool {
	name, value, found := strings.Cut(line, ":")
	if found {
		headers.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	return found
}

// missing says that a header is not there exactly once.
func missing(headers http.Header, name string) string {
	for _, header := range headerNames {
		if n := len(headers.Values(name)); header.canonical == name && n != 1 {
			return fmt.Sprintf("there are %d headers %s, and there must be one", n, header.written)
		}
	}
	if headers.Get(name) == "" {
		return "the header is empty"
	}
	return ""
}

func timestampFault(headers http.Header, now time.Time, window time.Duration) string {
	if fault := missing(headers, timestampHeader); fault != "" {
		return fault
	}
	stamp, err := signature.ParseTimestamp(headers.Get(timestampHeader))
	if err != nil {
		return err.Error()
	}
	return stamp.Outside(now, window)
}

// signatureFault also tries what senders often get wrong.
func signatureFault(headers http.Header, scheme signature.Scheme, secret credential.Secret, body []byte) string {
	if fault := missing(headers, signatureHeader); fault != "" {
		return fault
	}
	given, timestamp := headers.Get(signatureHeader), headers.Get(timestampHeader)
	fits := func(scheme signature.Scheme, header string, body []byte) bool {
		return signature.Verify(scheme, []credential.Secret{secret}, header, timestamp, body)
	}
	if fits(scheme, given, body) {
		return ""
	}
	for _, other := range signature.Schemes() {
		if other != scheme && fits(other, given, body) {
			return fmt.Sprintf("it is a signature of the scheme %s, and %s is expected", other, scheme)
		}
	}
	lower := strings.ToLower(given)
	switch trimmed := bytes.TrimRight(body, "\r\n"); {
	case fits(scheme, trimmedPrefix(lower), body):
		return "write it as sha256= and lower-case digits"
	case fits(scheme, given, trimmed):
		return "it is that of the body without the line end that the file has"
	case fits(scheme, given, append(bytes.Clone(trimmed), '\n')):
		return "it is that of the body with a line end, which the file has not"
	case len(given) != signature.Len || !strings.HasPrefix(given, "sha256="):
		return "it is not sha256= and 64 digits"
	default:
		return "it is not that of this body with this secret"
	}
}

// trimmedPrefix is a signature with the one prefix that counts.
func trimmedPrefix(text string) string {
	return "sha256=" + strings.TrimPrefix(text, "sha256=")
}

// bodyFault reads a body as the API does.
func bodyFault(body []byte, now time.Time) string {
	document, err := xjdf.Parse(body, xjdf.Limits{})
	if err != nil {
		return err.Error()
	}
	_, err = xjmf.Read(document, now, xjmf.DefaultHorizon())
	var invalid *xjmf.InvalidError
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &invalid):
		return err.Error()
	}
	var faults []string
	for _, v := range invalid.Violations {
		text := fmt.Sprintf("line %d, %s: %s", v.Place.Line, v.Place.XPath, v.Detail)
		if v.Suggestion != "" {
			text += ": " + v.Suggestion
		}
		faults = append(faults, text)
	}
	if invalid.More > 0 {
		faults = append(faults, fmt.Sprintf("and %d more", invalid.More))
	}
	return strings.Join(faults, "; ")
}
