// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/printmarket/printmarket/pkg/client/partnerapi"
)

// The routes, as the contract has them.
const (
	routeAccount  = "/api/v1/account"
	routeProducts = "/api/v1/catalog/products"
	routeRFQs     = "/api/v1/rfq"
	routeRFQ      = "/api/v1/rfq/{rfqId}"
	routeCancel   = "/api/v1/rfq/{rfqId}/cancel"
	routeQuotes   = "/api/v1/rfq/{rfqId}/quotes"
)

// Account reads the effective access of this key, and the remaining quotas of your
// organization.
func (c *Client) Account(ctx context.Context) (Account, error) {
	account, _, err := do[Account](ctx, c, sending{
		operation: "Account", route: routeAccount, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.partner.GetAccount(ctx) },
	})
	return account, err
}

// Products lists the products that an RFQ can request. Copy CatalogProductUID and
// Category to an [RFQCreate].
func (c *Client) Products(ctx context.Context) ([]Product, error) {
	list, _, err := do[partnerapi.CatalogProducts](ctx, c, sending{
		operation: "Products", route: routeProducts, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.partner.ListCatalogProducts(ctx) },
	})
	return list.Items, err
}

// CreatedRFQ is the response to a create.
type CreatedRFQ struct {
	RFQCreated
	// Replayed reports whether an earlier request with the same idempotency key created
	// the RFQ.
	Replayed bool
}

// CreateRFQ creates an RFQ. It sends an idempotency key, and retries with the same key
// as the [RetryPolicy] allows, so that it creates one RFQ. The [CallError] of a failure
// contains the key.
func (c *Client) CreateRFQ(ctx context.Context, draft RFQCreate, options ...CreateOption) (CreatedRFQ, error) {
	const operation = "CreateRFQ"
	terms, err := created(options, draft.CatalogProductUID, draft.Title, draft.Category, draft.DeliveryCity)
	if err != nil {
		return CreatedRFQ{}, argumentFault(operation, err)
	}
	record, header, err := do[RFQCreated](ctx, c, sending{
		operation: operation, route: routeRFQs, want: http.StatusCreated, idempotencyKey: terms.idempotencyKey,
		send: func(ctx context.Context) (*http.Response, error) {
			return c.partner.CreateRFQ(ctx, &partnerapi.CreateRFQParams{IdempotencyKey: terms.idempotencyKey}, draft)
		},
	})
	if err == nil && record.ID == "" {
		err = unnamed(operation, terms.idempotencyKey, http.StatusCreated, header)
	}
	return CreatedRFQ{record, replayed(header)}, err
}

// RFQ reads an RFQ.
func (c *Client) RFQ(ctx context.Context, id string, options ...ReadOption) (RFQ, error) {
	const operation = "RFQ"
	if err := checkID(id); err != nil {
		return RFQ{}, argumentFault(operation, err)
	}
	how := read(options)
	record, header, err := do[RFQ](ctx, c, sending{
		operation: operation, route: routeRFQ, want: http.StatusOK, validator: how.validator(),
		send: func(ctx context.Context) (*http.Response, error) {
			return c.partner.GetRFQ(ctx, id, &partnerapi.GetRFQParams{IfNoneMatch: how.validator()})
		},
	})
	if err == nil {
		how.keep(header)
	}
	return record, err
}

// CancelRFQ cancels an RFQ of your organization. Cancelling it again changes nothing.
func (c *Client) CancelRFQ(ctx context.Context, id string) (RFQ, error) {
	const operation = "CancelRFQ"
	if err := checkID(id); err != nil {
		return RFQ{}, argumentFault(operation, err)
	}
	record, _, err := do[RFQ](ctx, c, sending{
		operation: operation, route: routeCancel, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.partner.CancelRFQ(ctx, id) },
	})
	return record, err
}

// RFQFilter selects RFQs. The zero value selects all.
type RFQFilter struct {
	// Status selects RFQs with one of these statuses.
	Status []RFQStatus
	// CreatedAfter selects RFQs created at or after this time.
	CreatedAfter time.Time
	// CreatedBefore selects RFQs created before this time.
	CreatedBefore time.Time
	// ClientReference selects RFQs with exactly this reference; empty selects all.
	ClientReference string
	// PageSize is the number of RFQs for each request, 1 to 100; zero selects the
	// default of the API.
	PageSize int
}

func (f RFQFilter) parameters() *partnerapi.ListRfqsParams {
	parameters := &partnerapi.ListRfqsParams{Status: f.Status}
	if !f.CreatedAfter.IsZero() {
		parameters.CreatedAfter = &f.CreatedAfter
	}
	if !f.CreatedBefore.IsZero() {
		parameters.CreatedBefore = &f.CreatedBefore
	}
	if f.ClientReference != "" {
		parameters.ClientReference = &f.ClientReference
	}
	if f.PageSize != 0 {
		parameters.Limit = new(f.PageSize)
	}
	return parameters
}

// errSameCursor prevents an endless list.
var errSameCursor = errors.New("the next page is the same one")

// RFQs lists RFQs, newest first. It reads the pages as you range over them. It ends with
// the first error. It does not contain RFQs that are created meanwhile.
func (c *Client) RFQs(ctx context.Context, filter RFQFilter) iter.Seq2[RFQ, error] {
	const operation = "RFQs"
	parameters := filter.parameters()
	return pages(operation, func(cursor *string) ([]RFQ, *string, http.Header, error) {
		parameters.Cursor = cursor
		page, header, err := do[partnerapi.RFQPage](ctx, c, sending{
			operation: operation, route: routeRFQs, want: http.StatusOK,
			send: func(ctx context.Context) (*http.Response, error) { return c.partner.ListRfqs(ctx, parameters) },
		})
		return page.Items, page.NextCursor, header, err
	})
}

// pages yields the items of all pages of a list. read returns the page of a cursor, or the
// first page for nil, with the cursor of the next page.
func pages[T any](operation string, read func(cursor *string) ([]T, *string, http.Header, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var cursor *string
		for {
			items, next, header, err := read(cursor)
			if err == nil && next != nil && cursor != nil && *next == *cursor {
				err = &CallError{Operation: operation, Attempts: 1, Err: &AnswerError{
					Status: http.StatusOK, MediaType: mediaType(header), RequestID: header.Get("X-Request-Id"), Err: errSameCursor,
				}}
			}
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			cursor = next
		}
	}
}

// Quotes lists the suppliers' quotes on an RFQ, every revision of them.
func (c *Client) Quotes(ctx context.Context, rfqID string) ([]Quote, error) {
	const operation = "Quotes"
	if err := checkID(rfqID); err != nil {
		return nil, argumentFault(operation, err)
	}
	list, _, err := do[partnerapi.QuoteList](ctx, c, sending{
		operation: operation, route: routeQuotes, want: http.StatusOK,
		send: func(ctx context.Context) (*http.Response, error) { return c.partner.ListQuotes(ctx, rfqID) },
	})
	return list.Items, err
}
