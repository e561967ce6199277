// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/webhook"
)

// webhookSecretVariable names the environment variable with the secret of an endpoint.
const webhookSecretVariable = "PRINTMARKET_WEBHOOK_SECRET"

func verifyWebhookCommand() *cobra.Command {
	var fields []string
	var secretFile, at string
	var tolerance time.Duration
	return command[checkedParts]{
		use:   "verify FILE",
		short: "Check a delivery as its receiver has it, field by field (exit code 1: it does not hold)",
		long: `Check a delivery as its receiver has it: the body, the header fields and the
secret of the endpoint, each signature and the timestamp. Of what does not hold it
says why, if undoing one of the usual mistakes makes it hold. FILE is the body as
it came, byte for byte; - is standard input. The secret is read from a file or from
the environment, never from an argument, which every process of the machine could
read. Nothing is sent to anybody.`,
		example: `  printmarket webhooks verify body.json -H @headers --secret-file secret.txt
  printmarket webhooks verify - -H 'webhook-id: evt_01M3HQ7G5C8RJ2N4VKXW6TZB9D' -H ... <body.json
  printmarket webhooks verify body.json -H @headers --at 2026-11-20T09:00:00Z`,
		args: cobra.ExactArgs(1), outputs: []string{"text", "json"}, required: []string{"header"},
		flags: func(f *pflag.FlagSet) {
			f.StringArrayVarP(&fields, "header", "H", nil, "a header field as for curl: 'name: value', or @FILE with one in each line (required)")
			f.StringVar(&secretFile, "secret-file", "", "file with the secret of the endpoint (default: $"+webhookSecretVariable+")")
			f.StringVar(&at, "at", "", "time of the check, in RFC 3339 (default: now)")
			f.DurationVar(&tolerance, "tolerance", 5*time.Minute, "how far the timestamp may differ from it")
		},
		print: printParts,
	}.local(func(cmd *cobra.Command, args []string) (none checkedParts, err error) {
		secret, err := readSecret(secretFile, webhookSecretVariable)
		if err != nil {
			return none, err
		}
		now, err := instantOf(at)
		if err != nil {
			return none, err
		}
		headers := http.Header{}
		for _, field := range fields {
			if name, isFile := strings.CutPrefix(field, "@"); isFile {
				if err := readHeaders(headers, name); err != nil {
					return none, err
				}
			} else if !addHeader(headers, field) {
				return none, fmt.Errorf("--header is 'name: value' or @FILE, not %q", field)
			}
		}
		body, err := readMessage(cmd, args[0])
		if err != nil {
			return none, err
		}
		return accepted(webhook.Diagnose(secret, headers, body, now, tolerance), exitError(1))
	})
}
