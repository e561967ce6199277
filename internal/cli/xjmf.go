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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/xjdfapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/pack"
	device "github.com/printmarket/printmarket/pkg/xjdf/xjmf"
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
	var headers string
	var at instant
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
			f.Var(&at, "at", "time of the check, in RFC 3339 (default: now)")
			f.DurationVar(&window, "window", 5*time.Minute, "maximum difference between the timestamp and the time of the check, as in spec.replayWindowSeconds")
		},
		print: printParts,
	}.local(func(cmd *cobra.Command, args []string) (none checkedParts, err error) {
		c := xjmf.Callback{Headers: http.Header{}, Window: window, Now: at.orNow()}
		if c.Body, err = readMessage(cmd, args[0]); err != nil {
			return none, err
		}
		if c.Scheme, err = credential.ParseSignatureScheme(o.scheme); err != nil {
			return none, err
		}
		if c.Secret, err = o.secret(); err != nil {
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

// readHeaders reads headers from a file, and skips other lines.
func readHeaders(headers http.Header, name string) error {
	text, err := readFile(name, maxHeaders, "headers")
	credential.AddHeaders(headers, string(text))
	return err
}

// deviceTokenVariable names the variable with the bearer token of a device.
const deviceTokenVariable = "PRINTMARKET_XJMF_TOKEN"

// deviceAccess holds the flags that select a device.
type deviceAccess struct {
	to, deviceID string
	json         bool
	timeout      time.Duration
}

func (a *deviceAccess) register(f *pflag.FlagSet) {
	f.StringVar(&a.to, "to", "", "XJMF URL of the device (required)")
	f.StringVar(&a.deviceID, "device-id", "printmarket", "DeviceID of the sender")
	f.BoolVar(&a.json, "json-encoding", false, "send JSON instead of XML; devices before XJDF 2.2 read XML only")
	f.DurationVar(&a.timeout, "timeout", time.Minute, "maximum time for the device to respond")
}

// open returns a client of the device. Shop floors use http (9.5), but a token needs https.
func (a *deviceAccess) open() (*device.Client, error) {
	config := device.ClientConfig{URL: a.to, DeviceID: a.deviceID, Encoding: xjdf.XML, Now: time.Now, HTTP: &http.Client{Timeout: a.timeout}}
	if a.json {
		config.Encoding = xjdf.CanonicalJSON
	}
	if token := os.Getenv(deviceTokenVariable); token != "" {
		if err := checkURL(a.to, fmt.Errorf("the URL must be like https://press.example.com/xjmf, not %q", a.to), "a token"); err != nil {
			return nil, err
		}
		config.Authorize = func(r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+token)
			return nil
		}
	}
	return device.NewClient(config)
}

func submitXJMFCommand() *cobra.Command {
	var access deviceAccess
	var params device.QueueSubmissionParams
	var gang string
	var priority int64
	return command[device.EntrySummary]{
		use: "submit FILE [ATTACHMENT...]", short: "Submit a job to a device, with the files that it refers to",
		long: `Submit the XJDF document FILE to the queue of a device, and print the queue entry. The
document and its attachments are sent as one package: XJDF refers to an attachment by the
name of the file, without its folder. A bearer token is read from
$` + deviceTokenVariable + `. Exit code 1 means that the device did not accept the job.`,
		example: `  printmarket xjmf submit job.xjdf pages.pdf --to http://press.example.com:8080/xjmf
  printmarket xjmf submit card.xjdf --to https://press.example.com/xjmf --gang CARDS-135`,
		args: cobra.MinimumNArgs(1), outputs: []string{"text"}, required: []string{"to"},
		flags: func(f *pflag.FlagSet) {
			access.register(f)
			f.StringVar(&gang, "gang", "", "gang that the job joins")
			f.Int64Var(&priority, "priority", 0, "priority in the queue, from 0 to 100 (default: that of the device)")
			f.StringVar(&params.ReturnJMF, "return-to", "", "URL to which the device returns the job")
		},
		print: func(w io.Writer, e device.EntrySummary) { line(w, e) },
	}.local(func(cmd *cobra.Command, args []string) (made device.EntrySummary, err error) {
		document, err := readTree(cmd, args[0])
		if err != nil {
			return made, err
		}
		if document.Root.Name.Local != "XJDF" {
			return made, fmt.Errorf("%s is %s, not an XJDF document", args[0], printable(document.Root.Name.String()))
		}
		submission := device.Submission{Params: params, Job: document.Root}
		if cmd.Flags().Changed("priority") {
			submission.Params.Priority = &priority
		}
		if gang != "" {
			submission.Params.GangName, submission.Params.GangPolicy = gang, device.Gang
		}
		for _, name := range args[1:] {
			submission.Files = append(submission.Files, pack.File{
				Name: filepath.Base(name), MediaType: "application/octet-stream", Open: func() (io.ReadCloser, error) { return os.Open(name) },
			})
		}
		client, err := access.open()
		if err != nil {
			return made, err
		}
		entry, err := client.Submit(cmd.Context(), submission)
		return entry.Summary(), err
	})
}

func statusXJMFCommand() *cobra.Command {
	var access deviceAccess
	return command[device.Overview]{
		use: "status [ENTRY]", short: "Print the state and the queue of a device",
		long: `Print the state of a device, its queue, or one ENTRY of it, and the messages that it
supports. A bearer token is read from $` + deviceTokenVariable + `.`,
		example: `  printmarket xjmf status --to http://press.example.com:8080/xjmf
  printmarket xjmf status QE1 --to http://press.example.com:8080/xjmf -o json`,
		args: cobra.MaximumNArgs(1), outputs: []string{"text"}, required: []string{"to"}, flags: access.register,
		print: func(w io.Writer, s device.Overview) {
			line(w, strings.TrimSpace(s.Status+" "+s.Details))
			for i := range s.Queue {
				line(w, "  "+s.Queue[i].String())
			}
			if len(s.Messages) > 0 {
				line(w, "supports "+strings.Join(s.Messages, ", "))
			}
		},
	}.local(func(cmd *cobra.Command, args []string) (device.Overview, error) {
		client, err := access.open()
		if err != nil {
			return device.Overview{}, err
		}
		return client.Overview(cmd.Context(), strings.Join(args, ""))
	})
}
