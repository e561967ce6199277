// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/xjmf"
)

func xjmfCommand() *cobra.Command {
	return group("xjmf", "Send XJMF callbacks like a machine of a partner, and jobs to a device", `Sign, verify and send XJMF callbacks like a machine of a partner. The shared secret is
read from a file or from the environment, never from an argument, because every process
of the machine can read arguments. FILE is the body as it is sent, byte for byte; - is
standard input.

submit and status are for the other side: they send a job to a device that understands
XJMF, and print the state of the device.`,
		signXJMFCommand(), verifyXJMFCommand(), sendXJMFCommand(), submitXJMFCommand(), statusXJMFCommand())
}

// xjmfOptions holds the flags that sign a callback.
type xjmfOptions struct{ secretFile, sender, timestamp, scheme string }

func (o *xjmfOptions) registerSecret(f *pflag.FlagSet) {
	f.StringVar(&o.secretFile, "secret-file", "", "file with the shared secret (default: $PRINTMARKET_XJMF_SECRET)")
	f.StringVar(&o.scheme, "scheme", credential.SignedBody.String(), "signed content: Body or TimestampBody, as in spec.scheme of the XJMFSender")
}

func (o *xjmfOptions) register(f *pflag.FlagSet) {
	o.registerSecret(f)
	f.StringVar(&o.sender, "sender", "", "spec.senderID of the XJMFSender (default: $PRINTMARKET_XJMF_SENDER)")
	f.StringVar(&o.timestamp, "timestamp", "", "value of X-XJMF-Timestamp: Unix seconds or milliseconds, or RFC 3339 (default: now)")
}

// signedHeaders is the JSON output of a signature: values by the names that the
// interface specification writes.
type signedHeaders struct {
	Headers map[string]string `json:"headers"`
}

func signXJMFCommand() *cobra.Command {
	var o xjmfOptions
	return command[signedHeaders]{
		use: "sign FILE", short: "Print the three headers of a callback", args: cobra.ExactArgs(1), outputs: []string{"text"},
		example: `  printmarket xjmf sign status.xjmf --sender acme-mis --secret-file secret.txt
  printmarket xjmf sign status.xjmf > headers && curl -H @headers --data-binary @status.xjmf "$URL"`,
		flags: o.register,
		print: func(w io.Writer, signed signedHeaders) {
			for _, name := range xjmf.Headers() {
				line(w, name.Written+": "+signed.Headers[name.Written])
			}
		},
	}.local(func(cmd *cobra.Command, args []string) (signedHeaders, error) {
		signed := signedHeaders{map[string]string{}}
		body, err := readMessage(cmd, args[0])
		if err != nil {
			return signed, err
		}
		headers, err := o.sign(body, time.Now())
		for _, name := range xjmf.Headers() {
			signed.Headers[name.Written] = headers.Get(name.Canonical)
		}
		return signed, err
	})
}

// sign returns the headers of a callback.
func (o *xjmfOptions) sign(body []byte, now time.Time) (http.Header, error) {
	scheme, err := credential.ParseSignatureScheme(o.scheme)
	if err != nil {
		return nil, err
	}
	secret, err := o.secret()
	if err != nil {
		return nil, err
	}
	sender := o.sender
	if sender == "" {
		sender = os.Getenv("PRINTMARKET_XJMF_SENDER")
	}
	if sender == "" || printable(sender) != sender {
		return nil, errors.New("no valid sender is given: set --sender or PRINTMARKET_XJMF_SENDER")
	}
	timestamp := o.timestamp
	if timestamp == "" {
		timestamp = strconv.FormatInt(now.Unix(), 10)
	}
	if _, err := credential.ParseTimestamp(timestamp); err != nil {
		return nil, fmt.Errorf("--timestamp %q: %w", timestamp, err)
	}
	return xjmf.Sign(scheme, secret, sender, timestamp, body), nil
}

// secret reads the shared secret.
func (o *xjmfOptions) secret() (credential.Secret, error) {
	const variable = "PRINTMARKET_XJMF_SECRET"
	secret, err := readSecret(o.secretFile, variable)
	if err == nil && len(secret) < posture.MinSecretLen {
		return "", fmt.Errorf("%s has %d bytes; a shared secret needs at least %d",
			cmp.Or(o.secretFile, variable), len(secret), posture.MinSecretLen)
	}
	return secret, err
}

func verifyXJMFCommand() *cobra.Command {
	var o xjmfOptions
	var headers, at string
	var window time.Duration
	return command[checkedParts]{
		use: "verify FILE", short: "Verify a callback with its headers, part by part (exit code 2: the API would reject it)",
		long: `Verify a callback with its headers as the API does, and report each invalid part. The
headers are lines in the format of sign or of curl -v. Exit code 2 means that the API
would reject the callback, 1 that the callback could not be verified.`,
		example: `  printmarket xjmf verify status.xjmf --headers headers --secret-file secret.txt
  printmarket xjmf verify status.xjmf --headers headers --at 2026-11-20T09:00:00Z`,
		args: cobra.ExactArgs(1), outputs: []string{"text"}, required: []string{"headers"},
		flags: func(f *pflag.FlagSet) {
			o.registerSecret(f)
			f.StringVar(&headers, "headers", "", "file with the headers (required)")
			f.StringVar(&at, "at", "", "time of the check, in RFC 3339 (default: now)")
			f.DurationVar(&window, "window", 5*time.Minute, "maximum difference between the timestamp and the time of the check, as in spec.replayWindowSeconds")
		},
		print: printParts,
	}.local(func(cmd *cobra.Command, args []string) (none checkedParts, err error) {
		c := xjmf.Callback{Headers: http.Header{}, Window: window}
		if c.Body, err = readMessage(cmd, args[0]); err != nil {
			return none, err
		}
		if c.Scheme, err = credential.ParseSignatureScheme(o.scheme); err != nil {
			return none, err
		}
		if c.Secret, err = o.secret(); err != nil {
			return none, err
		}
		if c.Now, err = instantOf(at); err != nil {
			return none, err
		}
		if err := readHeaders(c.Headers, headers); err != nil {
			return none, err
		}
		return accepted(xjmf.Diagnose(c), exitFail)
	})
}

func sendXJMFCommand() *cobra.Command {
	var o xjmfOptions
	var target, output string
	cmd := &cobra.Command{
		Use:   "send FILE",
		Short: "Sign a callback, send it and print the response (exit code 2: it was rejected)",
		Long: `Sign a callback, send it and print the response. Exit code 2 means that the callback was
rejected: the status is not 200, or the return code is not 0. Exit code 1 means that
there is no response.`,
		Example: `  printmarket xjmf send status.xjmf --url https://api.example.com/api/v1/webhooks/xjmf
  printmarket xjmf send status.json --sender acme-mis --secret-file secret.txt`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := callbackTarget(target)
			if err != nil {
				return err
			}
			body, err := readMessage(cmd, args[0])
			if err != nil {
				return err
			}
			headers, err := o.sign(body, time.Now())
			if err != nil {
				return err
			}
			answer, err := xjmf.Send(cmd.Context(), target, headers, body)
			if err != nil {
				return err
			}
			if output == "json" {
				err = encodeJSON(cmd.OutOrStdout(), answer)
			} else {
				_, _ = fmt.Fprintln(cmd.ErrOrStderr(), answer.Status) // the exit code reports the result
				for text := range strings.SplitSeq(strings.TrimSuffix(answer.Body, "\n"), "\n") {
					line(cmd.OutOrStdout(), strings.ReplaceAll(strings.TrimSuffix(text, "\r"), "\t", "  "))
				}
			}
			if err == nil && !answer.Accepted {
				err = exitFail
			}
			return err
		},
	}
	f := cmd.Flags()
	o.register(f)
	chooseOutput(f, &output, "text", "json")
	f.StringVar(&target, "url", "", "URL for callbacks (default: $PRINTMARKET_API_URL"+xjdfapi.CallbackPath+")")
	return cmd
}

// callbackTarget returns the URL of --url, or of the environment. A copy of a callback
// is valid for as long as its timestamp, so a callback crosses no network in plain text.
func callbackTarget(text string) (string, error) {
	if origin := os.Getenv("PRINTMARKET_API_URL"); text == "" && origin != "" {
		text = strings.TrimSuffix(origin, "/") + xjdfapi.CallbackPath
	}
	if text == "" {
		return "", errors.New("no URL is given: set --url or PRINTMARKET_API_URL")
	}
	if target, err := url.Parse(text); err == nil && target.User != nil {
		return "", fmt.Errorf("the URL must be like https://api.example.com%s, without a user", xjdfapi.CallbackPath)
	}
	return text, checkURL(text, fmt.Errorf("the URL must be like https://api.example.com%s, not %q", xjdfapi.CallbackPath, text), "a callback")
}
