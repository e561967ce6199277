// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/masterdata/source"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// requestTime limits one request of a client.
const requestTime = 30 * time.Second

// Connect returns a client that sends a key to the API at an origin. The client follows no
// redirect.
func Connect(origin string, key credential.Key) (*Client, error) {
	return NewClient(origin,
		WithHTTPClient(&http.Client{Timeout: requestTime, CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the API redirects, and the key must not be sent to another address")
		}}),
		WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+key.Secret().Reveal())
			return nil
		}))
}

// Answer decodes a response of the client, or returns its problem as an error.
func Answer[T any](response *http.Response, err error) (*T, error) {
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 || !strings.Contains(response.Header.Get("Content-Type"), "json") {
		return nil, refusal(response.StatusCode, body)
	}
	value := new(T)
	if err := json.Unmarshal(body, value); err != nil {
		return nil, err
	}
	return value, nil
}

// Items decodes a response that lists records.
func Items[T any](response *http.Response, err error) ([]T, error) {
	page, err := Answer[struct{ Items []T }](response, err)
	if err != nil {
		return nil, err
	}
	return page.Items, nil
}

// Pages reads as many pages as the limit needs. next reads at most size records of the page after a
// record or of a cursor; nil is the first page. id returns the id of a record, by which the next page
// follows; it is nil if a page names the cursor of the next one.
func Pages[T any](limit int, id func(*T) *string, next func(size *int, after *string) (*http.Response, error)) ([]T, error) {
	found := []T{}
	var after *string
	for {
		size := min(limit-len(found), rfq.MaxLimit)
		page, err := Answer[struct {
			Items      []T
			NextCursor *string
		}](next(&size, after)) //nolint:bodyclose // Answer closes the body
		if err != nil {
			return nil, err
		}
		found = append(found, page.Items...)
		if after = page.NextCursor; id != nil && len(page.Items) == size {
			after = id(&found[len(found)-1])
		}
		if after == nil || len(found) >= limit {
			return found, nil
		}
	}
}

// KeyUses returns the uses of keys that have been used, by digest. It queries as many keys at once as
// the API allows.
func (c *Client) KeyUses(ctx context.Context, digests []string) (map[string]KeyUse, error) {
	uses := map[string]KeyUse{}
	for some := range slices.Chunk(digests, maxDigests) {
		found, err := Items[KeyUse](c.ListKeyUses(ctx, &ListKeyUsesParams{Digest: some}))
		if err != nil {
			return nil, err
		}
		for _, use := range found {
			uses[use.Digest] = use
		}
	}
	return uses, nil
}

// Snapshot reads a snapshot of master data, and checks its id.
func (c *Client) Snapshot(ctx context.Context, id string) (*source.Document, error) {
	text, err := Answer[json.RawMessage](c.ExportSnapshot(ctx, id))
	if err != nil {
		return nil, err
	}
	document, err := source.ReadJSON(ctx, bytes.NewReader(*text))
	if err != nil {
		return nil, err
	}
	if document.ID() != id {
		return nil, fmt.Errorf("the API returned %s, want %s", document.ID(), id)
	}
	return document, nil
}

// CancelOpenRFQs cancels the open RFQs of an organization, and returns their ids. A dry run only
// lists them.
func (c *Client) CancelOpenRFQs(ctx context.Context, organization, reason string, dryRun bool) ([]string, error) {
	open, err := Pages[RFQ](math.MaxInt, nil, func(size *int, cursor *string) (*http.Response, error) {
		return c.ListAllRfqs(ctx, &ListAllRfqsParams{Organization: &organization, Status: Status{"open", "quoted"}, Limit: size, Cursor: cursor})
	})
	ids := []string{}
	for i := range open {
		if ids = append(ids, open[i].ID); dryRun {
			continue
		}
		if _, err := Answer[RFQ](c.CancelRFQ(ctx, open[i].ID, &CancelRFQParams{}, Reason{Reason: reason})); err != nil {
			return ids[:i], fmt.Errorf("cancel %s: %w", open[i].ID, err)
		}
	}
	return ids, err
}

// refusal returns the error of a response that reports a problem.
func refusal(status int, body []byte) error {
	var reported struct {
		Code      problem.Code
		Detail    string
		RequestID string
		Errors    []problem.Violation
	}
	if err := json.Unmarshal(body, &reported); err != nil || reported.Code == "" {
		return fmt.Errorf("the API returned status %d", status)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s (request %s)", reported.Code, reported.Detail, reported.RequestID)
	for _, violation := range reported.Errors {
		fmt.Fprintf(&text, "\n  %s: %s", violation.Pointer, violation.Detail)
	}
	if row, known := problem.Lookup(reported.Code); known {
		fmt.Fprintf(&text, "\n%s", row.Do)
	}
	return errors.New(text.String())
}

// Chain returns the mode and the entries of a page, as the store has read them.
func (page *AuditChain) Chain() (mode tenant.Mode, chain transaction.AuditChain, err error) {
	mode = tenant.Test
	if page.Livemode {
		mode = tenant.Live
	}
	chain.Head.Sequence = page.Head.Sequence
	if chain.Head.Hash, err = transaction.ParseAuditHash(page.Head.Hash); err != nil {
		return mode, chain, fmt.Errorf("end of the audit: %w", err)
	}
	for _, item := range page.Items {
		details, errDetails := transaction.ParseAuditHash(item.Details)
		hash, errHash := transaction.ParseAuditHash(item.Hash)
		if err := errors.Join(errDetails, errHash); err != nil {
			return mode, chain, fmt.Errorf("audit entry %d: %w", item.Sequence, err)
		}
		e := item.Entry
		chain.Entries = append(chain.Entries, transaction.ChainedEntry{
			AuditEntry: transaction.AuditEntry{
				ID: e.ID, At: time.Time(e.At), Actor: transaction.Actor{Organization: e.Organization, Key: e.Key, RequestID: e.RequestID},
				Verb: transaction.Verb(e.Verb), Owner: tenant.ID{Organization: e.Owner, Mode: mode}, Subject: e.Subject, Reason: e.Reason,
			},
			Mode: mode, Sequence: item.Sequence, Salt: item.Salt, Details: details, Hash: hash,
		})
	}
	return mode, chain, nil
}
