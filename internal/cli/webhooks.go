// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/doctor"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
	"github.com/printmarket/printmarket/pkg/client"
)

func webhooksCommand() *cobra.Command {
	var owner organization
	var organization string
	return group("webhooks", "Manage the webhooks of partners: endpoints, deliveries, secrets", `Manage the webhooks of partners: list endpoints, inspect deliveries, and send events
again. You need a key of the package Platform: ops:read to read, quotes:ingest to send.
The commands secret and verify work offline and need no key. The commands listen and
trigger are for developers of receivers, and use the test key of a partner.`,
		command[[]platformapi.Endpoint]{
			use: "endpoints", short: "List endpoints and their delivery state",
			flags: func(f *pflag.FlagSet) {
				f.StringVar(&organization, "organization", "", "ID of the organization whose endpoints are listed; all by default")
			},
			print: endpointTable.list,
		}.onPlatform(func(ctx context.Context, r request) ([]platformapi.Endpoint, error) {
			return platformapi.Items[platformapi.Endpoint](r.ListEndpoints(ctx, &platformapi.ListEndpointsParams{Organization: given(organization)}))
		}),
		webhookDeliveriesCommand(),
		command[*platformapi.DeliveryWithAttempts]{
			use: "show DELIVERY", short: "Show a delivery with its attempts", args: cobra.ExactArgs(1),
			flags:    func(f *pflag.FlagSet) { owner.register(f, "webhooks", "required") },
			required: []string{"organization"},
			names:    deliveryNames,
			print: func(w io.Writer, d *platformapi.DeliveryWithAttempts) {
				printDelivery(w, &d.Delivery)
				line(w)
				attemptTable.print(w, d.Attempts...)
			},
		}.onPlatform(func(ctx context.Context, r request) (*platformapi.DeliveryWithAttempts, error) {
			return platformapi.Answer[platformapi.DeliveryWithAttempts](r.ShowDelivery(ctx, r.args[0], &platformapi.ShowDeliveryParams{Organization: string(owner)}))
		}),
		webhookChange(command[*platformapi.WebhookDelivery]{
			use: "test ENDPOINT", short: "Send an event of the type webhook.test to an endpoint", names: endpointNames, print: printSent,
			example: `  printmarket webhooks test mis --organization org_acme01 --reason "the partner asked"`,
		}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
			return r.TestEndpoint(ctx, r.args[0], &platformapi.TestEndpointParams{Organization: organization}, reason)
		}),
		webhookChange(command[*platformapi.WebhookDelivery]{
			use: "redeliver DELIVERY", short: "Send an event again, regardless of the state of its delivery", names: deliveryNames, print: printSent,
		}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
			return r.Redeliver(ctx, r.args[0], &platformapi.RedeliverParams{Organization: organization}, reason)
		}),
		webhookChange(command[*platformapi.Endpoint]{
			use: "enable ENDPOINT", short: "Resume deliveries to a disabled endpoint", names: endpointNames, print: endpointTable.one,
		}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
			return r.EnableEndpoint(ctx, r.args[0], &platformapi.EnableEndpointParams{Organization: organization}, reason)
		}),
		recoverEndpointCommand(), webhookSecretCommand(), verifyWebhookCommand(),
		listenCommand(), triggerCommand())
}

// endpointNames completes the name of an endpoint, of the organization that --organization names.
func endpointNames(ctx context.Context, r request) ([]string, error) {
	if len(r.args) > 0 {
		return nil, nil
	}
	owner, _ := r.cmd.Flags().GetString("organization") // empty without the flag
	found, err := platformapi.Items[platformapi.Endpoint](r.ListEndpoints(ctx, &platformapi.ListEndpointsParams{Organization: given(owner)}))
	return labels(found, func(e *platformapi.Endpoint) string { return e.Name + "\t" + e.State + ", of " + e.Organization }), err
}

// deliveryNames completes the id of a delivery among the latest ones of the organization that
// --organization names.
func deliveryNames(ctx context.Context, r request) ([]string, error) {
	owner, _ := r.cmd.Flags().GetString("organization") // empty without the flag
	if len(r.args) > 0 || owner == "" {
		return nil, nil
	}
	most := completions
	found, err := platformapi.Items[platformapi.WebhookDelivery](r.ListDeliveries(ctx, &platformapi.ListDeliveriesParams{Organization: owner, Limit: &most}))
	return labels(found, func(d *platformapi.WebhookDelivery) string {
		return d.ID + "\t" + d.State + ": " + d.Type + " to " + d.Endpoint
	}), err
}

var endpointTable = table[platformapi.Endpoint]{
	columns: []any{"ORGANIZATION", "ENDPOINT", "STATE", "REASON", "WAITING", "OLDEST", "DELIVERED", "FAILING SINCE", "FAILURES", "PAUSED UNTIL", "URL"},
	cells: func(e *platformapi.Endpoint) []any {
		return []any{
			e.Organization, e.Name, e.State, e.Reason, e.Waiting, stampOr(e.OldestAt), stampOr(e.DeliveredAt), stampOr(e.FailingSince),
			e.Failures, stampOr(e.PausedUntil), e.URL,
		}
	},
}

var deliveryTable = table[platformapi.WebhookDelivery]{
	columns: []any{"ID", "ENDPOINT", "TYPE", "SUBJECT", "STATE", "ATTEMPTS", "EVENT", "DUE", "ENDED"},
	cells: func(d *platformapi.WebhookDelivery) []any {
		return []any{d.ID, d.Endpoint, d.Type, d.Subject, d.State, d.Attempts, stamp(d.EventAt), stampOr(d.DueAt), stampOr(d.EndedAt)}
	},
}

func webhookDeliveriesCommand() *cobra.Command {
	var owner organization
	var endpoint, state, kind string
	return listCommand("deliveries", command[[]platformapi.WebhookDelivery]{
		use: "deliveries", short: "List the deliveries of an organization, newest first",
		example: "  printmarket webhooks deliveries --organization org_acme01 --state exhausted",
		flags: func(f *pflag.FlagSet) {
			owner.register(f, "webhooks", "required")
			f.StringVar(&endpoint, "endpoint", "", "list only deliveries to the endpoint with this name")
			f.StringVar(&state, "state", "", "list only deliveries in this state: pending, delivered or exhausted")
			f.StringVar(&kind, "type", "", "list only deliveries of events of this type, such as rfq.quoted")
		},
		required: []string{"organization"},
	}, deliveryTable, func(d *platformapi.WebhookDelivery) *string { return &d.ID }, func(ctx context.Context, r request, size *int, before *string) (*http.Response, error) {
		return r.ListDeliveries(ctx, &platformapi.ListDeliveriesParams{
			Organization: string(owner), Endpoint: given(endpoint), State: given(state), Type: given(kind), Limit: size, Before: before,
		})
	})
}

var attemptTable = table[webhooksapi.Attempt]{
	columns: []any{"ATTEMPT", "AT", "MILLISECONDS", "STATUS", "FAULT", "ANSWER"},
	cells: func(a *webhooksapi.Attempt) []any {
		return []any{a.Number, stamp(a.At), a.Milliseconds, a.Status, a.Fault, strings.TrimSpace(a.Excerpt)}
	},
}

func printDelivery(w io.Writer, d *platformapi.WebhookDelivery) {
	details(w, "id", d.ID, "organization", d.Organization, "endpoint", d.Endpoint, "event", d.Event, "type", d.Type, "subject", d.Subject,
		"state", d.State, "attempts", d.Attempts, "happened", stamp(d.EventAt), "due", stampOr(d.DueAt), "ended", stampOr(d.EndedAt))
}

// webhookChange returns the command of a row that changes something at the endpoints
// of an organization.
func webhookChange[T any](c command[*T], change func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error)) *cobra.Command {
	var owner organization
	var reason string
	c.args = cobra.ExactArgs(1)
	c.required = append(c.required, "organization", "reason")
	flags := c.flags
	c.flags = func(f *pflag.FlagSet) {
		owner.register(f, "webhooks", "required")
		registerReason(f, &reason)
		if flags != nil {
			flags(f)
		}
	}
	return c.onPlatform(func(ctx context.Context, r request) (*T, error) {
		return platformapi.Answer[T](change(ctx, r, string(owner), platformapi.Reason{Reason: reason}))
	})
}

// printSent prints a delivery that is on its way, and how to follow it.
func printSent(w io.Writer, d *platformapi.WebhookDelivery) {
	printDelivery(w, d)
	line(w)
	line(w, fmt.Sprintf("To see the result, run: printmarket webhooks show %s --organization %s", d.ID, d.Organization))
}

func recoverEndpointCommand() *cobra.Command {
	var since instant
	return webhookChange(command[*platformapi.Recovered]{
		use: "recover ENDPOINT", short: "Send missed events to an endpoint again",
		long: `Send missed events to an endpoint again: every event since --since that the endpoint
subscribes to and whose delivery is exhausted or does not exist. Delivered events are
not sent again; use redeliver for them.`,
		example: `  printmarket webhooks recover mis --organization org_acme01 \
    --since 2026-11-20T09:00:00Z --reason "their receiver was down"`,
		flags: func(f *pflag.FlagSet) {
			f.Var(&since, "since", "send events since this time, within the last 30 days (required)")
		},
		required: []string{"since"}, names: endpointNames,
		print: func(w io.Writer, done *platformapi.Recovered) { line(w, done.Recovered, "deliveries are scheduled") },
	}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
		return r.RecoverEndpoint(ctx, r.args[0], &platformapi.RecoverEndpointParams{Organization: organization},
			platformapi.Recovery{Reason: reason.Reason, Since: since.String()})
	})
}

func webhookSecretCommand() *cobra.Command {
	return &cobra.Command{
		Use: "secret", Short: "Generate a secret for signing webhooks", Args: cobra.NoArgs,
		Long: `Generate a secret for signing webhooks. The command writes only the secret to standard
output, without a newline, so that you can store it in a Secret as it is. It writes the
instructions to standard error. The secret is shown once and never stored.`,
		Example: `  printmarket webhooks secret >signing
  kubectl -n printmarket create secret generic acme-events --from-file=signing`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			secret, err := credential.MintWebhookSecret(rand.Reader)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprint(cmd.OutOrStdout(), secret.Reveal()); err != nil {
				return err
			}
			_, err = fmt.Fprint(cmd.ErrOrStderr(), `
Store it in a Secret in the namespace of the partner's PartnerEntitlement:
  kubectl create secret generic NAME --from-file=signing=FILE
Refer to it in spec.webhooks[].secrets[].secretRef as {name: NAME, key: signing}, and
send it to the partner over a confidential channel.
`)
			return err
		},
	}
}

// webhookSecretVariable names the environment variable with the secret of an endpoint.
const webhookSecretVariable = "PRINTMARKET_WEBHOOK_SECRET"

func verifyWebhookCommand() *cobra.Command {
	var fields []string
	var secretFile string
	var at instant
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
			f.Var(&at, "at", "time of the check, in RFC 3339 (default: now)")
			f.DurationVar(&tolerance, "tolerance", 5*time.Minute, "maximum difference between the timestamp and the time of the check")
		},
		print: printParts,
	}.local(func(cmd *cobra.Command, args []string) (none checkedParts, err error) {
		secret, err := readSecret(secretFile, webhookSecretVariable)
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
		return accepted(webhook.Diagnose(secret, headers, body, at.orNow(), tolerance), exitError(1))
	})
}

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
	listener.Run(cmd.Context(), o.interval, func(event transaction.Event) {
		if len(o.events) > 0 && !slices.Contains(o.events, string(event.Type)) {
			return
		}
		outcome := "-"
		if o.target != "" {
			received, err := webhook.Forward(cmd.Context(), o.target, secret, event.ID, time.Now(), listener.Payload(event))
			if outcome = received.Status; err != nil {
				outcome = err.Error()
			}
		}
		line(cmd.OutOrStdout(), event.Type, event.Subject, event.ID, outcome)
	}, func(err error) { _, _ = fmt.Fprintf(cmd.ErrOrStderr(), "printmarket: %v\n", err) })
	return nil
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
		use: "trigger EVENT", short: "Cause an event in the sandbox, and print the created record", args: cobra.MaximumNArgs(1),
		long: `Cause an event in the sandbox: create an RFQ of a simulated product, or a preflight job
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
		id, err := trigger.CreateRecord(cmd.Context(), c)
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
