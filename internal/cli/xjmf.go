// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/signature"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/xjmf"
)

func xjmfCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "xjmf",
		Short: "Sign, check and send XJMF callbacks as a partner's machine does",
		Long: `Sign, check and send XJMF callbacks as a partner's machine does. The shared
secret is read from a file or from the environment, never from an argument, which
every process of the machine could read. FILE is the body as it is sent, byte for
byte; - is standard input.`,
	}
	cmd.AddCommand(signXJMFCommand(), verifyXJMFCommand(), sendXJMFCommand())
	return cmd
}

// xjmfOptions are how a callback is signed.
type xjmfOptions struct {
	secretFile, sender, timestamp, scheme, output string
}

func (o *xjmfOptions) registerSecret(f *pflag.FlagSet) {
	f.StringVar(&o.secretFile, "secret-file", "", "file with the shared secret (default: $PRINTMARKET_XJMF_SECRET)")
	f.StringVar(&o.scheme, "scheme", signature.Body.String(), "what is signed: Body or TimestampBody, as spec.scheme of the XJMFSender")
}

func (o *xjmfOptions) registerOutput(f *pflag.FlagSet) { chooseOutput(f, &o.output, "text", "json") }

func (o *xjmfOptions) registerSigning(f *pflag.FlagSet) {
	o.registerSecret(f)
	f.StringVar(&o.sender, "sender", "", "spec.senderID of the XJMFSender (default: $PRINTMARKET_XJMF_SENDER)")
	f.StringVar(&o.timestamp, "timestamp", "", "value of X-XJMF-Timestamp: Unix seconds or milliseconds, or RFC 3339 (default: now)")
}

func signXJMFCommand() *cobra.Command {
	var o xjmfOptions
	cmd := &cobra.Command{
		Use:   "sign FILE",
		Short: "Print the three headers of a callback",
		Example: `  printmarket xjmf sign status.xjmf --sender acme-mis --secret-file secret.txt
  printmarket xjmf sign status.xjmf > headers && curl -H @headers --data-binary @status.xjmf "$URL"`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			body, err := readCallback(cmd, args[0])
			if err != nil {
				return err
			}
			headers, err := o.sign(body, time.Now())
			if err != nil {
				return err
			}
			return o.printHeaders(cmd, headers)
		},
	}
	o.registerSigning(cmd.Flags())
	o.registerOutput(cmd.Flags())
	return cmd
}

// signedHeaders are the headers of a callback, as programs read them: values by the
// names that the interface specification writes.
type signedHeaders struct {
	Headers map[string]string `json:"headers"`
}

func (o *xjmfOptions) printHeaders(cmd *cobra.Command, headers http.Header) error {
	signed := signedHeaders{map[string]string{}}
	for _, name := range xjmf.Headers() {
		signed.Headers[name.Written] = headers.Get(name.Canonical)
	}
	return printOutput(cmd, o.output, signed, func(w io.Writer) {
		for _, name := range xjmf.Headers() {
			line(w, name.Written+": "+headers.Get(name.Canonical))
		}
	})
}

// sign returns the headers of a callback.
func (o *xjmfOptions) sign(body []byte, now time.Time) (http.Header, error) {
	scheme, err := signature.ParseScheme(o.scheme)
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
		return nil, errors.New("who sends? Set --sender or PRINTMARKET_XJMF_SENDER")
	}
	timestamp := o.timestamp
	if timestamp == "" {
		timestamp = strconv.FormatInt(now.Unix(), 10)
	}
	if _, err := signature.ParseTimestamp(timestamp); err != nil {
		return nil, fmt.Errorf("--timestamp %q: %w", timestamp, err)
	}
	return xjmf.Sign(scheme, secret, sender, timestamp, body), nil
}

// secret reads the shared secret.
func (o *xjmfOptions) secret() (credential.Secret, error) {
	const variable = "PRINTMARKET_XJMF_SECRET"
	secret, err := readSecret(o.secretFile, variable)
	if err == nil && len(secret) < posture.MinSecretLen {
		return "", fmt.Errorf("%s holds %d bytes, and secrets of fewer than %d count nothing",
			cmp.Or(o.secretFile, variable), len(secret), posture.MinSecretLen)
	}
	return secret, err
}

// maxCallback limits the body of a callback, in bytes, as the API does.
const maxCallback = 1 << 20

// readCallback reads a body as it is.
func readCallback(cmd *cobra.Command, name string) (body []byte, err error) {
	from := cmd.InOrStdin()
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		from = file
	}
	body, err = io.ReadAll(io.LimitReader(from, maxCallback+1))
	if err == nil && len(body) > maxCallback {
		err = fmt.Errorf("%s has more than %d bytes, which no body here has", name, maxCallback)
	}
	return body, err
}
