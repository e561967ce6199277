// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential/signature"
	"github.com/printmarket/printmarket/internal/xjmf"
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

func (o *verifyOptions) run(cmd *cobra.Command, file string) error {
	body, err := readCallback(cmd, file)
	if err != nil {
		return err
	}
	c := xjmf.Callback{Headers: http.Header{}, Body: body, Window: o.window}
	if c.Scheme, err = signature.ParseScheme(o.scheme); err != nil {
		return err
	}
	if c.Secret, err = o.secret(); err != nil {
		return err
	}
	if c.Now, err = instantOf(o.at); err != nil {
		return err
	}
	if err := readHeaders(c.Headers, o.headers); err != nil {
		return err
	}
	var parts []part
	for _, fault := range xjmf.Diagnose(c) {
		parts = append(parts, part{fault.Part, fault.Fault})
	}
	return checked(cmd, o.output, parts, exitFail)
}

// part is one checked part of a message and its fault, if any.
type part struct {
	Name  string `json:"part"`
	Fault string `json:"fault,omitempty"`
}

// checkedParts is the JSON output of a check.
type checkedParts struct {
	Accepted bool   `json:"accepted"`
	Parts    []part `json:"parts"`
}

// instantOf parses --at; empty means now.
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

// checked prints the checked parts. It returns refusal if one has a fault.
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

// maxHeaders limits a file of headers, in bytes.
const maxHeaders = 64 << 10

// readHeaders reads headers from a file and skips other lines.
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
