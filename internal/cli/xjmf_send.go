// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/xjmf"
)

// callbackPath is where the API takes callbacks.
const callbackPath = "/api/v1/webhooks/xjmf"

func sendXJMFCommand() *cobra.Command {
	var o sendOptions
	cmd := &cobra.Command{
		Use:   "send FILE",
		Short: "Sign a callback, send it and show the answer (exit code 2: it was refused)",
		Long: `Sign a callback, send it and show the answer. Exit code 2 means that the answer
refuses it: another status than 200, or a return code that is not 0. Exit code 1
means that there is no answer.`,
		Example: `  printmarket xjmf send status.xjmf --url https://api.example.com/api/v1/webhooks/xjmf
  printmarket xjmf send status.json --sender acme-mis --secret-file secret.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	o.registerSigning(f)
	o.registerOutput(f)
	f.StringVar(&o.url, "url", "", "where callbacks go (default: $PRINTMARKET_API_URL"+callbackPath+")")
	return cmd
}

type sendOptions struct {
	xjmfOptions
	url string
}

func (o *sendOptions) run(cmd *cobra.Command, file string) error {
	target, err := o.target()
	if err != nil {
		return err
	}
	body, err := readCallback(cmd, file)
	if err != nil {
		return err
	}
	headers, err := o.sign(body, time.Now())
	if err != nil {
		return err
	}
	headers.Set("Content-Type", xjmf.MediaType(body))
	sent, err := post(cmd.Context(), target, headers, body)
	if err != nil {
		return err
	}
	if err := o.printSent(cmd, sent); err != nil {
		return err
	}
	if !sent.Accepted {
		return exitFail
	}
	return nil
}

// sentCallback is what sending a callback tells programs.
type sentCallback struct {
	Accepted bool   `json:"accepted"`
	Status   string `json:"status"`
	// Answer is the body as it came, in valid UTF-8.
	Answer string `json:"answer"`
}

func (o *sendOptions) printSent(cmd *cobra.Command, sent sentCallback) error {
	if o.output == "json" {
		return encodeJSON(cmd.OutOrStdout(), sent)
	}
	_, _ = fmt.Fprintln(cmd.ErrOrStderr(), sent.Status) // the answer is what counts
	_, err := io.WriteString(cmd.OutOrStdout(), shown(sent.Answer))
	return err
}

// target is where callbacks go. A copy of one is good for as long as its
// timestamp, so it crosses no network in plain text.
func (o *sendOptions) target() (string, error) {
	text := o.url
	if origin := os.Getenv("PRINTMARKET_API_URL"); text == "" && origin != "" {
		text = strings.TrimSuffix(origin, "/") + callbackPath
	}
	if text == "" {
		return "", errors.New("where to? Set --url or PRINTMARKET_API_URL")
	}
	target, err := url.Parse(text)
	switch {
	case err != nil || target.Host == "" || target.User != nil || target.Scheme != "https" && target.Scheme != "http":
		return "", fmt.Errorf("the URL is like https://api.example.com%s, not %q", callbackPath, text)
	case target.Scheme == "http" && !isLoopback(target.Hostname()):
		return "", fmt.Errorf("%s: a callback is sent over https, or to this machine", text)
	default:
		return text, nil
	}
}

func post(ctx context.Context, target string, headers http.Header, body []byte) (sentCallback, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return sentCallback{}, err
	}
	request.Header = headers
	client := &http.Client{Timeout: requestTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return sentCallback{}, err
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxCallback))
	return sentCallback{Accepted: xjmf.Accepted(response.StatusCode, answer), Status: response.Status, Answer: string(answer)}, err
}

// shown keeps an answer from steering a terminal, and its lines.
func shown(answer string) string {
	lines := strings.Split(strings.TrimSuffix(answer, "\n"), "\n")
	for i, line := range lines {
		lines[i] = printable(strings.ReplaceAll(strings.TrimSuffix(line, "\r"), "\t", "  "))
	}
	return strings.Join(lines, "\n") + "\n"
}
