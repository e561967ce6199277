// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
)

func webhooksCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhooks",
		Short: "Look after the webhooks of partners: endpoints, deliveries, secrets",
		Long: `Look after the webhooks of partners: which endpoints there are, what became of
each delivery, and what is sent again. It needs a key of the package Platform:
ops:read to read, quotes:ingest to have something sent. The commands secret and
verify ask nobody, and need none.`,
	}
	cmd.AddCommand(
		webhookEndpointsCommand(), webhookDeliveriesCommand(), showDeliveryCommand(),
		testEndpointCommand(), recoverEndpointCommand(), enableEndpointCommand(), redeliverCommand(), webhookSecretCommand(), verifyWebhookCommand(),
	)
	return cmd
}

// errNoOwner is for a verb that is about one organization's webhooks.
var errNoOwner = errors.New("whose webhooks? Set --organization; printmarket webhooks endpoints lists them")

// webhookOptions come with every command about an organization's webhooks.
type webhookOptions struct {
	deskOptions
	organization string
}

func (o *webhookOptions) register(cmd *cobra.Command) {
	o.deskOptions.register(cmd.Flags())
	cmd.Flags().StringVar(&o.organization, "organization", "", "whose webhooks: spec.organizationID of the PartnerEntitlement")
}

// open makes a client, if it is known whose webhooks are meant.
func (o *webhookOptions) open() (*platformapi.ClientWithResponses, error) {
	if o.organization == "" {
		return nil, errNoOwner
	}
	return o.deskOptions.open()
}

// webhookChange are the options of a verb.
type webhookChange struct {
	webhookOptions
	reason string
}

func (o *webhookChange) register(cmd *cobra.Command) {
	o.webhookOptions.register(cmd)
	cmd.Flags().StringVar(&o.reason, "reason", "", "why; it is kept in the audit (required)")
	_ = cmd.MarkFlagRequired("reason") // the flag exists
}

func testEndpointCommand() *cobra.Command {
	var o webhookChange
	cmd := &cobra.Command{
		Use: "test ENDPOINT", Short: "Send an endpoint an event of the type webhook.test", Args: cobra.ExactArgs(1),
		Example: `  printmarket webhooks test mis --organization org_acme01 --reason "the partner asked"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.TestEndpointWithResponse(cmd.Context(), args[0],
				&platformapi.TestEndpointParams{Organization: o.organization}, platformapi.Reason{Reason: o.reason})
			if err != nil {
				return err
			}
			if a.JSON202 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON202, func(w io.Writer) { printSent(w, a.JSON202) })
		},
	}
	o.register(cmd)
	return cmd
}

func redeliverCommand() *cobra.Command {
	var o webhookChange
	cmd := &cobra.Command{
		Use: "redeliver DELIVERY", Short: "Send an event again, whatever became of its delivery", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.RedeliverWithResponse(cmd.Context(), args[0],
				&platformapi.RedeliverParams{Organization: o.organization}, platformapi.Reason{Reason: o.reason})
			if err != nil {
				return err
			}
			if a.JSON202 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON202, func(w io.Writer) { printSent(w, a.JSON202) })
		},
	}
	o.register(cmd)
	return cmd
}

// printSent tells of a delivery that is on its way, and how to see what becomes of it.
func printSent(w io.Writer, d *platformapi.WebhookDelivery) {
	printDelivery(w, *d)
	line(w)
	line(w, fmt.Sprintf("What becomes of it: printmarket webhooks show %s --organization %s", d.ID, d.Organization))
}

func recoverEndpointCommand() *cobra.Command {
	var o webhookChange
	var since string
	cmd := &cobra.Command{
		Use: "recover ENDPOINT", Short: "Send an endpoint again what it has missed", Args: cobra.ExactArgs(1),
		Long: `Send an endpoint again what it has missed: every event since an instant whose
delivery is exhausted, or that has none although the endpoint wants it. What was
delivered is not sent again; redeliver does that.`,
		Example: `  printmarket webhooks recover mis --organization org_acme01 \
    --since 2026-11-20T09:00:00Z --reason "their receiver was away"`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := time.Parse(time.RFC3339, since); err != nil {
				return fmt.Errorf("--since is a time like 2026-11-20T09:00:00Z, not %q", since)
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.RecoverEndpointWithResponse(cmd.Context(), args[0],
				&platformapi.RecoverEndpointParams{Organization: o.organization}, platformapi.Recovery{Reason: o.reason, Since: since})
			if err != nil {
				return err
			}
			if a.JSON202 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON202, func(w io.Writer) { line(w, a.JSON202.Recovered, "deliveries are on their way") })
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&since, "since", "", "first instant whose events count, within 30 days (required)")
	_ = cmd.MarkFlagRequired("since") // the flag exists
	return cmd
}

func enableEndpointCommand() *cobra.Command {
	var o webhookChange
	cmd := &cobra.Command{
		Use: "enable ENDPOINT", Short: "Let an endpoint that was disabled have deliveries again", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.EnableEndpointWithResponse(cmd.Context(), args[0],
				&platformapi.EnableEndpointParams{Organization: o.organization}, platformapi.Reason{Reason: o.reason})
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200, func(w io.Writer) { printEndpoints(w, []platformapi.Endpoint{*a.JSON200}) })
		},
	}
	o.register(cmd)
	return cmd
}
