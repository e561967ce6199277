// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
)

// deskAccess says where the platform API is and who asks. A key is never an
// argument, which every process of the machine could read.
type deskAccess struct {
	apiURL, keyFile string
	sandbox         bool
}

func (o *deskAccess) register(f *pflag.FlagSet) {
	f.StringVar(&o.apiURL, "api-url", "", "origin of the API (default: $PRINTMARKET_API_URL)")
	f.StringVar(&o.keyFile, "key-file", "",
		"file with a key of the package Platform (default: $PRINTMARKET_PLATFORM_LIVE_KEY, or $PRINTMARKET_PLATFORM_TEST_KEY with --sandbox)")
	f.BoolVar(&o.sandbox, "sandbox", false, "work with the sandbox's records: use the test key")
}

// deskOptions are those of commands that show records.
type deskOptions struct {
	deskAccess
	output string
}

func (o *deskOptions) register(f *pflag.FlagSet) {
	o.deskAccess.register(f)
	chooseOutput(f, &o.output, "table", "json")
}

// deskTime bounds one request.
const deskTime = 30 * time.Second

// open makes a client of the platform API.
func (o *deskAccess) open() (*platformapi.ClientWithResponses, error) {
	origin, err := o.origin()
	if err != nil {
		return nil, err
	}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	return platformapi.NewClientWithResponses(origin,
		platformapi.WithHTTPClient(&http.Client{Timeout: deskTime, CheckRedirect: refuseRedirect}),
		platformapi.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key.Secret().Reveal())
			return nil
		}))
}

func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("the API redirects, and a key is sent to no other address")
}

// origin is where the API is. A key crosses no network in plain text.
func (o *deskAccess) origin() (string, error) {
	text := o.apiURL
	if text == "" {
		text = os.Getenv("PRINTMARKET_API_URL")
	}
	if text == "" {
		return "", errors.New("where is the API? Set --api-url or PRINTMARKET_API_URL")
	}
	origin, err := url.Parse(text)
	switch {
	case err != nil || origin.Host == "" || origin.Scheme != "https" && origin.Scheme != "http":
		return "", fmt.Errorf("the origin of the API is like https://api.example.com, not %q", text)
	case origin.Scheme == "http" && !isLoopback(origin.Hostname()):
		return "", fmt.Errorf("%s: a key is sent over https, or to this machine", text)
	default:
		return text, nil
	}
}

func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

func (o *deskAccess) key() (credential.Key, error) {
	variable, mode := "PRINTMARKET_PLATFORM_LIVE_KEY", tenant.Live
	if o.sandbox {
		variable, mode = "PRINTMARKET_PLATFORM_TEST_KEY", tenant.Test
	}
	text, from := os.Getenv(variable), variable
	if o.keyFile != "" {
		file, err := os.ReadFile(o.keyFile)
		if err != nil {
			return credential.Key{}, fmt.Errorf("read the key: %w", err)
		}
		text, from = string(file), o.keyFile
	}
	if text == "" {
		return credential.Key{}, fmt.Errorf("with which key? Set --key-file or %s", variable)
	}
	key, err := credential.Parse(strings.TrimSpace(text))
	if err != nil {
		return credential.Key{}, fmt.Errorf("%s: %w", from, err)
	}
	if key.Mode() != mode {
		// Whoever says --sandbox must never touch production.
		return credential.Key{}, fmt.Errorf("%s holds a %s key: --sandbox goes with a test key, and only with one", from, key.Mode())
	}
	return key, nil
}

// answered is what a generated response tells of an answer.
type answered interface {
	StatusCode() int
	GetBody() []byte
}

// refused is the error of an answer that is none of the wanted.
func refused(a answered) error {
	var told struct {
		Code      problem.Code
		Detail    string
		RequestID string
		Errors    []problem.Violation
	}
	if err := json.Unmarshal(a.GetBody(), &told); err != nil || told.Code == "" {
		return fmt.Errorf("the API answered %d", a.StatusCode())
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s (request %s)", told.Code, told.Detail, told.RequestID)
	for _, violation := range told.Errors {
		fmt.Fprintf(&text, "\n  %s: %s", violation.Pointer, violation.Detail)
	}
	if row, known := problem.Lookup(told.Code); known {
		fmt.Fprintf(&text, "\n%s", row.Do)
	}
	return errors.New(text.String())
}

// print writes an answer as it came, or as a table.
func (o *deskOptions) print(cmd *cobra.Command, value any, table func(io.Writer)) error {
	return printOutput(cmd, o.output, value, table)
}

// printOutput writes a value as JSON or YAML, or as a table.
func printOutput(cmd *cobra.Command, output string, value any, table func(io.Writer)) error {
	switch output {
	case "json":
		return encodeJSON(cmd.OutOrStdout(), value)
	case "yaml":
		text, err := yaml.Marshal(value)
		if err != nil {
			return err
		}
		_, err = cmd.OutOrStdout().Write(text)
		return err
	default:
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 2, ' ', 0)
		table(w)
		return w.Flush()
	}
}

// encodeJSON writes a value for programs, all of it or nothing.
func encodeJSON(w io.Writer, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := w.Write(text.Bytes())
	return err
}

// line writes the cells of a row.
func line(w io.Writer, cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			_, _ = io.WriteString(w, "\t")
		}
		_, _ = fmt.Fprint(w, printable(fmt.Sprint(cell)))
	}
	_, _ = io.WriteString(w, "\n")
}

// printable keeps what partners and suppliers wrote from steering a terminal, or
// the order in which it shows what comes behind.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// pages reads as many pages as it takes for a limit. next reads one of a size, of what
// comes before an id; nil: from the latest on.
func pages[T any](limit int, id func(*T) *string, next func(size *int, before *string) ([]T, error)) ([]T, error) {
	found := []T{}
	var before *string
	for {
		size := min(limit-len(found), rfq.MaxLimit)
		page, err := next(&size, before)
		if err != nil {
			return nil, err
		}
		found = append(found, page...)
		if len(page) < size || len(found) >= limit {
			return found, nil
		}
		before = id(&found[len(found)-1])
	}
}
