// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/credential"
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
		short: "Verify a received delivery, field by field (exit code 1: it is invalid)",
		long: `Verify a received delivery with the secret of the endpoint: the header fields, each
signature and the timestamp. For an invalid part, the command names the cause if
reversing a common mistake makes the part valid. FILE is the received body, byte for
byte; - is standard input. The secret is read from a file or from the environment, never
from an argument, because every process of the machine can read arguments. The command
works offline.`,
		example: `  printmarket webhooks verify body.json -H @headers --secret-file secret.txt
  printmarket webhooks verify - -H 'webhook-id: evt_01M3HQ7G5C8RJ2N4VKXW6TZB9D' -H ... <body.json
  printmarket webhooks verify body.json -H @headers --at 2026-11-20T09:00:00Z`,
		args: cobra.ExactArgs(1), outputs: []string{"text"}, required: []string{"header"},
		flags: func(f *pflag.FlagSet) {
			f.StringArrayVarP(&fields, "header", "H", nil, "header field as in curl: 'name: value', or @FILE with one field per line (required)")
			f.StringVar(&secretFile, "secret-file", "", "file with the secret of the endpoint (default: $"+webhookSecretVariable+")")
			f.StringVar(&at, "at", "", "time of the check, in RFC 3339 (default: now)")
			f.DurationVar(&tolerance, "tolerance", 5*time.Minute, "maximum difference between the timestamp and the time of the check")
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
			} else if !credential.AddHeader(headers, field) {
				return none, fmt.Errorf("--header must be 'name: value' or @FILE, not %q", field)
			}
		}
		body, err := readMessage(cmd, args[0])
		if err != nil {
			return none, err
		}
		return accepted(webhook.Diagnose(secret, headers, body, now, tolerance), exitError(1))
	})
}
