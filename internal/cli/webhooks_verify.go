// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/webhook"
)

// webhookSecretVariable names the environment variable with the secret of an endpoint.
const webhookSecretVariable = "PRINTMARKET_WEBHOOK_SECRET"

// verifyWebhookOptions are the flags of `printmarket webhooks verify`.
type verifyWebhookOptions struct {
	headers                []string
	secretFile, at, output string
	tolerance              time.Duration
}

func verifyWebhookCommand() *cobra.Command {
	var o verifyWebhookOptions
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a delivery as its receiver has it, field by field (exit code 1: it does not hold)",
		Long: `Check a delivery as its receiver has it: the body, the header fields and the
secret of the endpoint, each signature and the timestamp. Of what does not hold it
says why, if undoing one of the usual mistakes makes it hold. FILE is the body as
it came, byte for byte; - is standard input. The secret is read from a file or from
the environment, never from an argument, which every process of the machine could
read. Nothing is sent to anybody.`,
		Example: `  printmarket webhooks verify body.json -H @headers --secret-file secret.txt
  printmarket webhooks verify - -H 'webhook-id: evt_01M3HQ7G5C8RJ2N4VKXW6TZB9D' -H ... <body.json
  printmarket webhooks verify body.json -H @headers --at 2026-11-20T09:00:00Z`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&o.headers, "header", "H", nil, "a header field as for curl: 'name: value', or @FILE with one in each line (required)")
	f.StringVar(&o.secretFile, "secret-file", "", "file with the secret of the endpoint (default: $"+webhookSecretVariable+")")
	f.StringVar(&o.at, "at", "", "time of the check, in RFC 3339 (default: now)")
	f.DurationVar(&o.tolerance, "tolerance", 5*time.Minute, "how far the timestamp may differ from it")
	chooseOutput(f, &o.output, "text", "json")
	_ = cmd.MarkFlagRequired("header") // the flag exists
	return cmd
}

func (o *verifyWebhookOptions) run(cmd *cobra.Command, file string) error {
	secret, err := readSecret(o.secretFile, webhookSecretVariable)
	if err != nil {
		return err
	}
	now, err := instantOf(o.at)
	if err != nil {
		return err
	}
	headers, err := o.fields()
	if err != nil {
		return err
	}
	body, err := readCallback(cmd, file)
	if err != nil {
		return err
	}
	var parts []part
	for _, finding := range webhook.Diagnose(secret, headers, body, now, o.tolerance) {
		parts = append(parts, part{finding.Field, finding.Fault})
	}
	return checked(cmd, o.output, parts, exitError(1))
}

// fields are the header fields of --header.
func (o *verifyWebhookOptions) fields() (http.Header, error) {
	headers := http.Header{}
	for _, one := range o.headers {
		if name, isFile := strings.CutPrefix(one, "@"); isFile {
			if err := readHeaders(headers, name); err != nil {
				return nil, err
			}
		} else if !addHeader(headers, one) {
			return nil, fmt.Errorf("--header is 'name: value' or @FILE, not %q", one)
		}
	}
	return headers, nil
}

// readSecret reads a secret from a file, or else from a variable. An editor's line
// end is no part of it.
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
		return "", errors.New("with which secret? Set --secret-file or " + variable)
	}
	return credential.Secret(text), nil
}
