// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/webhooksapi"
)

func webhooksCommand() *cobra.Command {
	return group("webhooks", "Manage the webhooks of partners: endpoints, deliveries, secrets", `Manage the webhooks of partners: list endpoints, inspect deliveries, and send events
again. You need a key of the package Platform: ops:read to read, quotes:ingest to send.
The commands secret and verify work offline and need no key. The commands listen and
trigger are for developers of receivers, and use the test key of a partner.`,
		webhookEndpointsCommand(), webhookDeliveriesCommand(), showDeliveryCommand(),
		testEndpointCommand(), recoverEndpointCommand(), enableEndpointCommand(), redeliverCommand(), webhookSecretCommand(), verifyWebhookCommand(),
		listenCommand(), triggerCommand())
}

// whoseWebhooks is the error of a missing --organization.
const whoseWebhooks = "no organization is given: set --organization; printmarket webhooks endpoints lists all of them"

var endpointTable = table[platformapi.Endpoint]{
	columns: []any{"ORGANIZATION", "ENDPOINT", "STATE", "REASON", "WAITING", "OLDEST", "DELIVERED", "FAILING SINCE", "FAILURES", "PAUSED UNTIL", "URL"},
	cells: func(e *platformapi.Endpoint) []any {
		return []any{
			e.Organization, e.Name, e.State, e.Reason, e.Waiting, stampOr(e.OldestAt), stampOr(e.DeliveredAt), stampOr(e.FailingSince),
			e.Failures, stampOr(e.PausedUntil), e.URL,
		}
	},
}

func webhookEndpointsCommand() *cobra.Command {
	var organization string
	return command[[]platformapi.Endpoint]{
		use: "endpoints", short: "List endpoints and their delivery state",
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&organization, "organization", "", "ID of the organization whose endpoints are listed; all by default")
		},
		print: endpointTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.Endpoint, error) {
		return items[platformapi.Endpoint](r.ListEndpoints(ctx, &platformapi.ListEndpointsParams{Organization: given(organization)}))
	})
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
	var limit listLimit
	return command[[]platformapi.WebhookDelivery]{
		use: "deliveries", short: "List the deliveries of an organization, newest first",
		example: "  printmarket webhooks deliveries --organization org_acme01 --state exhausted",
		flags: func(f *pflag.FlagSet) {
			owner.register(f, "webhooks")
			f.StringVar(&endpoint, "endpoint", "", "list only deliveries to the endpoint with this name")
			f.StringVar(&state, "state", "", "list only deliveries in this state: pending, delivered or exhausted")
			f.StringVar(&kind, "type", "", "list only deliveries of events of this type, such as rfq.quoted")
			limit.register(f, "deliveries")
		},
		check: func() error { return cmp.Or(limit.check(), owner.check(whoseWebhooks)) },
		print: deliveryTable.list,
	}.onPlatform(func(ctx context.Context, r request) ([]platformapi.WebhookDelivery, error) {
		params := platformapi.ListDeliveriesParams{Organization: string(owner), Endpoint: given(endpoint), State: given(state), Type: given(kind)}
		return pages(limit, func(d *platformapi.WebhookDelivery) *string { return &d.ID }, func(size *int, before *string) (*http.Response, error) {
			params.Limit, params.Before = size, before
			return r.ListDeliveries(ctx, &params)
		})
	})
}

var attemptTable = table[webhooksapi.Attempt]{
	columns: []any{"ATTEMPT", "AT", "MILLISECONDS", "STATUS", "FAULT", "ANSWER"},
	cells: func(a *webhooksapi.Attempt) []any {
		return []any{a.Number, stamp(a.At), a.Milliseconds, a.Status, a.Fault, strings.TrimSpace(a.Excerpt)}
	},
}

func showDeliveryCommand() *cobra.Command {
	var owner organization
	return command[*platformapi.DeliveryWithAttempts]{
		use: "show DELIVERY", short: "Show a delivery with its attempts", args: cobra.ExactArgs(1),
		flags: func(f *pflag.FlagSet) { owner.register(f, "webhooks") },
		check: func() error { return owner.check(whoseWebhooks) },
		print: func(w io.Writer, d *platformapi.DeliveryWithAttempts) {
			printDelivery(w, &d.Delivery)
			line(w)
			attemptTable.print(w, d.Attempts...)
		},
	}.onPlatform(func(ctx context.Context, r request) (*platformapi.DeliveryWithAttempts, error) {
		return platformapi.Answer[platformapi.DeliveryWithAttempts](r.ShowDelivery(ctx, r.args[0], &platformapi.ShowDeliveryParams{Organization: string(owner)}))
	})
}

func printDelivery(w io.Writer, d *platformapi.WebhookDelivery) {
	details(w,
		"id", d.ID,
		"organization", d.Organization,
		"endpoint", d.Endpoint,
		"event", d.Event,
		"type", d.Type,
		"subject", d.Subject,
		"state", d.State,
		"attempts", d.Attempts,
		"happened", stamp(d.EventAt),
		"due", stampOr(d.DueAt),
		"ended", stampOr(d.EndedAt))
}

// webhookChange returns the command of a row that changes something at the endpoints
// of an organization.
func webhookChange[T any](c command[*T], change func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error)) *cobra.Command {
	var owner organization
	var reason string
	c.args = cobra.ExactArgs(1)
	c.required = append(c.required, "reason")
	flags, check := c.flags, c.check
	c.flags = func(f *pflag.FlagSet) {
		owner.register(f, "webhooks")
		registerReason(f, &reason)
		if flags != nil {
			flags(f)
		}
	}
	c.check = func() error {
		if check != nil {
			if err := check(); err != nil {
				return err
			}
		}
		return owner.check(whoseWebhooks)
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

func testEndpointCommand() *cobra.Command {
	return webhookChange(command[*platformapi.WebhookDelivery]{
		use: "test ENDPOINT", short: "Send an event of the type webhook.test to an endpoint", print: printSent,
		example: `  printmarket webhooks test mis --organization org_acme01 --reason "the partner asked"`,
	}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
		return r.TestEndpoint(ctx, r.args[0], &platformapi.TestEndpointParams{Organization: organization}, reason)
	})
}

func redeliverCommand() *cobra.Command {
	return webhookChange(command[*platformapi.WebhookDelivery]{
		use: "redeliver DELIVERY", short: "Send an event again, regardless of the state of its delivery", print: printSent,
	}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
		return r.Redeliver(ctx, r.args[0], &platformapi.RedeliverParams{Organization: organization}, reason)
	})
}

func recoverEndpointCommand() *cobra.Command {
	var since string
	return webhookChange(command[*platformapi.Recovered]{
		use: "recover ENDPOINT", short: "Send missed events to an endpoint again",
		long: `Send missed events to an endpoint again: every event since --since that the endpoint
subscribes to and whose delivery is exhausted or does not exist. Delivered events are
not sent again; use redeliver for them.`,
		example: `  printmarket webhooks recover mis --organization org_acme01 \
    --since 2026-11-20T09:00:00Z --reason "their receiver was down"`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&since, "since", "", "send events since this time, within the last 30 days (required)")
		},
		required: []string{"since"},
		check: func() error {
			if since == "" {
				return errors.New(`--since must be a time such as 2026-11-20T09:00:00Z, not ""`)
			}
			return checkTime("since", since, "2026-11-20T09:00:00Z")
		},
		print: func(w io.Writer, done *platformapi.Recovered) { line(w, done.Recovered, "deliveries are scheduled") },
	}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
		return r.RecoverEndpoint(ctx, r.args[0], &platformapi.RecoverEndpointParams{Organization: organization},
			platformapi.Recovery{Reason: reason.Reason, Since: since})
	})
}

func enableEndpointCommand() *cobra.Command {
	return webhookChange(command[*platformapi.Endpoint]{
		use: "enable ENDPOINT", short: "Resume deliveries to a disabled endpoint",
		print: endpointTable.one,
	}, func(ctx context.Context, r request, organization string, reason platformapi.Reason) (*http.Response, error) {
		return r.EnableEndpoint(ctx, r.args[0], &platformapi.EnableEndpointParams{Organization: organization}, reason)
	})
}
