// SPDX-License-Identifier: Apache-2.0

package cli

import (
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
)

// checkedParts is the JSON output of the check of a signed message.
type checkedParts struct {
	Accepted bool                    `json:"accepted"`
	Parts    []credential.SignedPart `json:"parts"`
}

// accepted returns the parts with the refusal as error if one has a fault.
func accepted(parts []credential.SignedPart, refusal exitError) (checkedParts, error) {
	if slices.ContainsFunc(parts, func(p credential.SignedPart) bool { return p.Fault != "" }) {
		return checkedParts{false, parts}, resultError{refusal}
	}
	return checkedParts{true, parts}, nil
}

func printParts(w io.Writer, checked checkedParts) {
	for _, p := range checked.Parts {
		line(w, p.Name, cmp.Or(p.Fault, "ok"))
	}
}

// instantOf parses --at; empty means now.
func instantOf(at string) (time.Time, error) {
	if at == "" {
		return time.Now(), nil
	}
	instant, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return time.Time{}, fmt.Errorf("--at must be a time such as 2026-12-01T00:00:00Z, not %q", at)
	}
	return instant, nil
}

const (
	// maxMessage limits the body of a signed message, in bytes, as the API does.
	maxMessage = 1 << 20
	// maxHeaders limits a file of headers, in bytes.
	maxHeaders = 64 << 10
)

// readMessage reads the body of a signed message; - is standard input.
func readMessage(cmd *cobra.Command, name string) ([]byte, error) {
	return readInput(cmd, name, maxMessage, "body")
}

// readInput reads a file of at most most bytes; - is standard input.
func readInput(cmd *cobra.Command, name string, most int64, what string) ([]byte, error) {
	if name == "-" {
		return readBounded(cmd.InOrStdin(), name, most, what)
	}
	return readFile(name, most, what)
}

func readFile(name string, most int64, what string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	return readBounded(file, name, most, what)
}

func readBounded(from io.Reader, name string, most int64, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(from, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %d bytes, the limit for the %s", name, most, what)
	}
	return text, err
}

// readHeaders reads headers from a file, and skips other lines.
func readHeaders(headers http.Header, name string) error {
	text, err := readFile(name, maxHeaders, "headers")
	credential.AddHeaders(headers, string(text))
	return err
}

// readSecret reads a secret from a file, or else from a variable. The line end of an
// editor does not belong to it.
func readSecret(file, variable string) (credential.Secret, error) {
	text := os.Getenv(variable)
	if file != "" {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("read the secret: %w", err)
		}
		text = string(content)
	}
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		return "", errors.New("no secret is given: set --secret-file or " + variable)
	}
	return credential.Secret(text), nil
}
