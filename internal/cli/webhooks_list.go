// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/rfq"
)

func webhookEndpointsCommand() *cobra.Command {
	var o deskOptions
	var organization string
	cmd := &cobra.Command{
		Use: "endpoints", Short: "List endpoints, and whether anything is sent to them", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			var params platformapi.ListEndpointsParams
			if organization != "" {
				params.Organization = &organization
			}
			a, err := client.ListEndpointsWithResponse(cmd.Context(), &params)
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200.Items, func(w io.Writer) { printEndpoints(w, a.JSON200.Items) })
		},
	}
	o.register(cmd.Flags())
	cmd.Flags().StringVar(&organization, "organization", "", "id of the organization whose endpoints are listed; every one by default")
	return cmd
}

func printEndpoints(w io.Writer, found []platformapi.Endpoint) {
	line(w, "ORGANIZATION", "ENDPOINT", "STATE", "REASON", "WAITING", "OLDEST", "DELIVERED", "FAILING SINCE", "FAILURES", "PAUSED UNTIL", "URL")
	for i := range found {
		e := &found[i]
		line(w, e.Organization, e.Name, e.State, e.Reason, e.Waiting, stampIfAny(e.OldestAt), stampIfAny(e.DeliveredAt), stampIfAny(e.FailingSince),
			e.Failures, stampIfAny(e.PausedUntil), e.URL)
	}
}

// stampIfAny is a time, or a dash for none.
func stampIfAny(at *respond.Instant) string {
	if at == nil {
		return "-"
	}
	return stamp(*at)
}

// deliveryFilter are the flags that narrow a list.
type deliveryFilter struct {
	endpoint, state, kind string
	limit                 int
}

func (f *deliveryFilter) params(organization string) platformapi.ListDeliveriesParams {
	params := platformapi.ListDeliveriesParams{Organization: organization}
	for _, filter := range []struct {
		text string
		into **string
	}{{f.endpoint, &params.Endpoint}, {f.state, &params.State}, {f.kind, &params.Type}} {
		if filter.text != "" {
			*filter.into = &filter.text
		}
	}
	return params
}

func webhookDeliveriesCommand() *cobra.Command {
	var o webhookOptions
	var filter deliveryFilter
	cmd := &cobra.Command{
		Use: "deliveries", Short: "List the deliveries of an organization, the latest first", Args: cobra.NoArgs,
		Example: "  printmarket webhooks deliveries --organization org_acme01 --state exhausted",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if filter.limit < 1 || filter.limit > maxListed {
				return fmt.Errorf("--limit is 1 to %d, not %d", maxListed, filter.limit)
			}
			client, err := o.open()
			if err != nil {
				return err
			}
			found, err := listDeliveries(cmd.Context(), client, filter.params(o.organization), filter.limit)
			if err != nil {
				return err
			}
			return o.print(cmd, found, func(w io.Writer) {
				line(w, "ID", "ENDPOINT", "TYPE", "SUBJECT", "STATE", "ATTEMPTS", "EVENT", "DUE", "ENDED")
				for i := range found {
					d := &found[i]
					line(w, d.ID, d.Endpoint, d.Type, d.Subject, d.State, d.Attempts, stamp(d.EventAt), stampIfAny(d.DueAt), stampIfAny(d.EndedAt))
				}
			})
		},
	}
	o.register(cmd)
	f := cmd.Flags()
	f.StringVar(&filter.endpoint, "endpoint", "", "only those to the endpoint of this name")
	f.StringVar(&filter.state, "state", "", "only those that are pending, delivered or exhausted")
	f.StringVar(&filter.kind, "type", "", "only those of events of this type, such as rfq.quoted")
	f.IntVar(&filter.limit, "limit", rfq.DefaultLimit, fmt.Sprintf("how many at most, up to %d", maxListed))
	return cmd
}

// listDeliveries reads as many pages as it takes.
func listDeliveries(ctx context.Context, client *platformapi.ClientWithResponses, params platformapi.ListDeliveriesParams, limit int) ([]platformapi.WebhookDelivery, error) {
	id := func(one *platformapi.WebhookDelivery) *string { return &one.ID }
	return pages(limit, id, func(size *int, before *string) ([]platformapi.WebhookDelivery, error) {
		params.Limit, params.Before = size, before
		a, err := client.ListDeliveriesWithResponse(ctx, &params)
		if err != nil {
			return nil, err
		}
		if a.JSON200 == nil {
			return nil, refused(a)
		}
		return a.JSON200.Items, nil
	})
}

func showDeliveryCommand() *cobra.Command {
	var o webhookOptions
	cmd := &cobra.Command{
		Use: "show DELIVERY", Short: "Show a delivery with its attempts", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := o.open()
			if err != nil {
				return err
			}
			a, err := client.ShowDeliveryWithResponse(cmd.Context(), args[0], &platformapi.ShowDeliveryParams{Organization: o.organization})
			if err != nil {
				return err
			}
			if a.JSON200 == nil {
				return refused(a)
			}
			return o.print(cmd, a.JSON200, func(w io.Writer) {
				printDelivery(w, a.JSON200.Delivery)
				line(w)
				printAttempts(w, a.JSON200)
			})
		},
	}
	o.register(cmd)
	return cmd
}

func printDelivery(w io.Writer, d platformapi.WebhookDelivery) {
	for _, row := range []struct {
		name  string
		value any
	}{
		{"id", d.ID},
		{"organization", d.Organization},
		{"endpoint", d.Endpoint},
		{"event", d.Event},
		{"type", d.Type},
		{"subject", d.Subject},
		{"state", d.State},
		{"attempts", d.Attempts},
		{"happened", stamp(d.EventAt)},
		{"due", stampIfAny(d.DueAt)},
		{"ended", stampIfAny(d.EndedAt)},
	} {
		line(w, row.name, row.value)
	}
}

func printAttempts(w io.Writer, d *platformapi.DeliveryWithAttempts) {
	line(w, "ATTEMPT", "AT", "MILLISECONDS", "STATUS", "FAULT", "ANSWER")
	for _, a := range d.Attempts {
		line(w, a.Number, stamp(a.At), a.Milliseconds, a.Status, a.Fault, short(strings.TrimSpace(a.Excerpt)))
	}
}
