// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/doctor"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/client"
)

// sandboxAccess names the API and the test key of a partner.
type sandboxAccess struct{ apiURL, keyFile string }

func (o *sandboxAccess) register(f *pflag.FlagSet) {
	f.StringVar(&o.apiURL, "api-url", "", apiURLUsage)
	f.StringVar(&o.keyFile, "key-file", "", "file with a test key of the partner (default: $"+doctor.KeyVariable+")")
}

func (o *sandboxAccess) open() (*client.Client, error) {
	origin, err := originOf(o.apiURL)
	if err != nil {
		return nil, err
	}
	key, from, err := readKey(o.keyFile, doctor.KeyVariable)
	if err != nil {
		return nil, err
	}
	if key.Mode() != tenant.Test {
		return nil, fmt.Errorf("%s contains a %s key: use a test key, which accesses the sandbox", from, key.Mode())
	}
	return client.New(origin, client.APIKey(key.Secret().Reveal()), client.WithUserAgent("printmarket-webhooks"))
}

// listenOptions holds the flags of `printmarket webhooks listen`.
type listenOptions struct {
	access             sandboxAccess
	target, secretFile string
	events             []string
	interval           time.Duration
}

func listenCommand() *cobra.Command {
	var o listenOptions
	cmd := &cobra.Command{
		Use: "listen", Short: "Print the events of the sandbox, and forward them to a local receiver", Args: cobra.NoArgs,
		Long: `Print the events of your organization in the sandbox as they happen, until you stop the
command. With --forward-to, the command posts each event to a receiver on this machine,
signed like a delivery, and prints the status of the response. It does not repeat a failed
request.

The command needs no public URL and no declared endpoint: it polls the RFQs and the jobs of
the partner API, at most the newest 100 of each, and needs the scopes rfq:read and
preflight:read. The ID of a forwarded preflight event is made from the ID of its job; a real
delivery has another ID. The event quote.expired is forwarded when the RFQ changes next.`,
		Example: `  printmarket webhooks listen --forward-to http://127.0.0.1:9090/
  printmarket webhooks listen --events rfq.quoted,preflight.failed`,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	o.access.register(f)
	f.StringVar(&o.target, "forward-to", "", "URL of the receiver; without it, the events are only printed")
	f.StringVar(&o.secretFile, "secret-file", "", "file with the secret that signs (default: a new secret, which is printed)")
	f.StringSliceVar(&o.events, "events", nil, "events to print and forward; all by default")
	f.DurationVar(&o.interval, "interval", time.Second, "time between two polls, 100ms or longer")
	return cmd
}

func (o *listenOptions) run(cmd *cobra.Command) error {
	for _, name := range o.events {
		if _, err := webhook.ParseEvent(name); err != nil {
			return fmt.Errorf("--events: %w", err)
		}
	}
	if o.interval < 100*time.Millisecond {
		return fmt.Errorf("--interval must be 100ms or longer, not %s", o.interval)
	}
	secret, err := o.secret(cmd.OutOrStdout())
	if err != nil {
		return err
	}
	c, err := o.access.open()
	if err != nil {
		return err
	}
	listener, err := webhook.NewListener(cmd.Context(), c)
	if err != nil {
		return err
	}
	line(cmd.OutOrStdout(), "Listening. Press Ctrl-C to stop.")
	ticker := time.NewTicker(o.interval)
	defer ticker.Stop()
	for {
		select {
		case <-cmd.Context().Done():
			return nil
		case <-ticker.C:
		}
		events, err := listener.Poll(cmd.Context())
		for _, event := range events {
			if len(o.events) == 0 || slices.Contains(o.events, string(event.Type)) {
				line(cmd.OutOrStdout(), event.Type, event.Subject, event.ID, o.forward(cmd.Context(), secret, event, listener.Payload(event)))
			}
		}
		if err != nil && cmd.Context().Err() == nil {
			_, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %v\n", err) // the next poll repeats the request
		}
	}
}

// secret returns the secret that signs, and prints a new one. It returns none without
// --forward-to.
func (o *listenOptions) secret(out io.Writer) (secret credential.Secret, err error) {
	if o.target == "" {
		return "", nil
	}
	if err := checkURL(o.target, fmt.Errorf("--forward-to must be a URL such as http://127.0.0.1:9090/, not %q", o.target), "an event"); err != nil {
		return "", err
	}
	if o.secretFile != "" {
		return readSecret(o.secretFile, webhookSecretVariable)
	}
	if secret, err = credential.MintWebhookSecret(rand.Reader); err == nil {
		_, err = fmt.Fprintln(out, "Secret of this run:", secret.Reveal())
	}
	return secret, err
}

// forward posts an event, and returns the status of the response, or the fault.
func (o *listenOptions) forward(ctx context.Context, secret credential.Secret, event transaction.Event, body []byte) string {
	if o.target == "" {
		return "-"
	}
	received, err := webhook.Forward(ctx, o.target, secret, event.ID, time.Now(), body)
	if err != nil {
		return err.Error()
	}
	return received.Status
}

// triggered is the JSON output of a provoked event.
type triggered struct {
	webhook.Trigger
	// Created is the id of the record; empty in a list.
	Created string `json:"created,omitempty"`
}

var triggerTable = table[triggered]{
	columns: []any{"EVENT", "PRODUCT OF AN RFQ", "PROFILE OF A JOB", "CREATED"},
	cells:   func(t *triggered) []any { return []any{t.Event, t.Product, t.Profile, t.Created} },
}

func triggerCommand() *cobra.Command {
	var access sandboxAccess
	var list bool
	cmd := command[[]triggered]{
		use: "trigger EVENT", short: "Provoke an event in the sandbox, and print the created record", args: cobra.MaximumNArgs(1),
		long: `Provoke an event in the sandbox: create an RFQ of a simulated product, or a preflight job
with a simulated profile, that leads to the event. The events that precede it happen, too.
Endpoints for the sandbox and printmarket webhooks listen receive all of them. To send
webhook.test to an endpoint, use printmarket webhooks test.`,
		example: `  printmarket webhooks trigger preflight.failed
  printmarket webhooks trigger --list`,
		flags: func(f *pflag.FlagSet) {
			access.register(f)
			f.BoolVar(&list, "list", false, "list the events and what provokes each; needs no key")
		},
		print: triggerTable.list,
	}.local(func(cmd *cobra.Command, args []string) (listed []triggered, err error) {
		if list {
			for _, trigger := range webhook.Triggers() {
				listed = append(listed, triggered{Trigger: trigger})
			}
			return listed, nil
		}
		if len(args) == 0 {
			return nil, errors.New("no event is given: printmarket webhooks trigger --list lists all of them")
		}
		trigger, err := webhook.ParseEvent(args[0])
		if err != nil {
			return nil, err
		}
		c, err := access.open()
		if err != nil {
			return nil, err
		}
		id, err := trigger.Provoke(cmd.Context(), c)
		return []triggered{{trigger, id}}, err
	})
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		for _, trigger := range webhook.Triggers() {
			names = append(names, string(trigger.Event))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}
