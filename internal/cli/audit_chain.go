// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/rfq"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

const anchorFlag = "file"

func auditVerifyCommand() *cobra.Command {
	var path string
	return command[transaction.AuditAnchor]{
		use: "verify", short: "Verify the chain of hashes of the audit",
		long: `Compute the hashes of all audit entries again, and compare them with the stored ones.
The command fails and names the first entry that is missing or was changed.

With --file, it also compares the chain with the anchors of the file: the owner of the
database can compute a new chain, but not change a file elsewhere.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&path, anchorFlag, "", "file with the anchors that audit anchor has written")
		},
		print: printAnchor,
	}.onPlatform(func(ctx context.Context, r request) (transaction.AuditAnchor, error) {
		return verifyAudit(ctx, r, path)
	})
}

func auditAnchorCommand() *cobra.Command {
	var path string
	var hook anchorWebhook
	return command[transaction.AuditAnchor]{
		use: "anchor", short: "Verify the audit, and send the end of its chain to a file or a webhook",
		long: `Verify the chain of the audit and the anchors of the file. Then append a line with the
time, the sequence and the hash of the last entry to the file, or send it to a webhook,
or both. Keep the file where the owner of the database cannot write, and run the command
at an interval.

The request to the webhook is signed like an event, so printmarket webhooks verify checks
it. The webhook can answer with a receipt, such as a signature of its own, of at most
4 KiB. The line of the file contains the receipt.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar(&path, anchorFlag, "", "file of anchors, created if it does not exist")
			f.StringVar(&hook.url, "webhook", "", "URL that receives the anchor")
			f.StringVar(&hook.secretFile, "secret-file", "", "file with the secret that signs the request to the webhook (default: $"+webhookSecretVariable+")")
		},
		check: func() error {
			if path == "" && hook.url == "" {
				return errors.New("set --file, --webhook or both")
			}
			return hook.check()
		},
		print: printAnchor,
	}.onPlatform(func(ctx context.Context, r request) (transaction.AuditAnchor, error) {
		end, err := verifyAudit(ctx, r, path)
		if err != nil {
			return end, err
		}
		// An unavailable webhook does not keep the anchor from the file.
		if hook.url != "" {
			end.Receipt, err = hook.send(ctx, end)
		}
		if path != "" {
			err = errors.Join(err, appendAnchor(path, end))
		}
		return end, err
	})
}

// anchorWebhook receives anchors outside of the reach of the owner of the database.
type anchorWebhook struct{ url, secretFile string }

// check rejects a URL to another machine without TLS.
func (w anchorWebhook) check() error {
	target, err := url.Parse(w.url)
	switch {
	case w.url == "":
		return nil
	case err != nil || target.Host == "" || target.Scheme != "https" && target.Scheme != "http":
		return fmt.Errorf("--webhook must be a URL such as https://anchors.example.com/printmarket, not %q", w.url)
	case target.Scheme == "http" && !isLoopback(target.Hostname()):
		return fmt.Errorf("--webhook: %s: an anchor is sent only over https or to this machine", w.url)
	default:
		return nil
	}
}

// maxReceipt limits the answer of a webhook, in bytes.
const maxReceipt = 4 << 10

// send sends a signed anchor and returns the receipt. It follows no redirect.
func (w anchorWebhook) send(ctx context.Context, end transaction.AuditAnchor) (receipt string, err error) {
	secret, err := readSecret(w.secretFile, webhookSecretVariable)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(end)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	id := fmt.Sprintf("anchor-%s-%d", end.Mode, end.Sequence)
	if request.Header, err = webhook.Sign([]credential.Secret{secret}, id, end.At, body); err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	client := &http.Client{Timeout: requestTime, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return "", fmt.Errorf("send the anchor: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxReceipt+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("send the anchor: read the receipt: %w", err)
	case response.StatusCode < 200 || response.StatusCode > 299:
		return "", fmt.Errorf("send the anchor: the webhook returned %s; want a status of 2xx", response.Status)
	case len(answer) > maxReceipt || !utf8.Valid(answer):
		return "", fmt.Errorf("send the anchor: the receipt must be UTF-8 text of at most %d bytes", maxReceipt)
	}
	return strings.TrimSpace(string(answer)), nil
}

func printAnchor(w io.Writer, end transaction.AuditAnchor) {
	line(w, "MODE", "ENTRIES", "HASH", "ANCHORS")
	line(w, end.Mode, end.Sequence, end.Hash, end.Anchors)
}

// verifyAudit verifies the chain of the key's mode, and the anchors of a file if path is
// not empty.
func verifyAudit(ctx context.Context, r request, path string) (transaction.AuditAnchor, error) {
	anchors, err := readAnchors(path)
	if err != nil {
		return transaction.AuditAnchor{}, err
	}
	var head transaction.AuditHead
	var expected map[int64]string
	compared := 0
	for {
		after, size := head.Sequence, rfq.MaxLimit
		page, err := answer[platformapi.AuditChain](r.ListAuditChain(ctx, &platformapi.ListAuditChainParams{After: &after, Limit: &size}))
		if err != nil {
			return transaction.AuditAnchor{}, err
		}
		mode := tenant.Test
		if page.Livemode {
			mode = tenant.Live
		}
		if after == 0 {
			if expected, compared, err = transaction.AnchoredHashes(anchors, mode); err != nil {
				return transaction.AuditAnchor{}, fmt.Errorf("%s: %w", path, err)
			}
		}
		for _, item := range page.Items {
			if head, err = verifyEntry(head, mode, item); err != nil {
				return transaction.AuditAnchor{}, err
			}
			if hash, anchored := expected[head.Sequence]; anchored && hash != head.Hash.String() {
				return transaction.AuditAnchor{}, &transaction.BrokenChainError{ID: item.Entry.ID, Sequence: head.Sequence, Reason: "its hash is not the one in " + path}
			}
			delete(expected, head.Sequence)
		}
		if len(page.Items) == size {
			continue
		}
		delete(expected, 0) // the anchor of an empty chain
		if missing := len(expected) > 0 || head.Sequence < page.Head.Sequence; missing {
			return transaction.AuditAnchor{}, &transaction.BrokenChainError{Sequence: head.Sequence + 1, Reason: "it and all later entries are missing"}
		}
		now := time.Now().UTC().Truncate(time.Second)
		return transaction.AuditAnchor{At: now, Mode: mode, Sequence: head.Sequence, Hash: head.Hash.String(), Anchors: compared}, nil
	}
}

func verifyEntry(head transaction.AuditHead, mode tenant.Mode, item platformapi.ChainedAuditEntry) (transaction.AuditHead, error) {
	details, errDetails := transaction.ParseAuditHash(item.Details)
	hash, errHash := transaction.ParseAuditHash(item.Hash)
	if err := errors.Join(errDetails, errHash); err != nil {
		return head, fmt.Errorf("audit entry %d: %w", item.Sequence, err)
	}
	e := item.Entry
	return head.Verify(transaction.ChainedEntry{
		AuditEntry: transaction.AuditEntry{
			ID: e.ID, At: time.Time(e.At), Actor: transaction.Actor{Organization: e.Organization, Key: e.Key, RequestID: e.RequestID},
			Verb: transaction.Verb(e.Verb), Owner: tenant.ID{Organization: e.Owner, Mode: mode}, Subject: e.Subject, Reason: e.Reason,
		},
		Mode: mode, Sequence: item.Sequence, Salt: item.Salt, Details: details, Hash: hash,
	})
}

// maxAnchors limits the size of a file of anchors: a line takes about 150 bytes.
const maxAnchors = 64 << 20

// readAnchors reads a file of anchors. A missing file and an empty path have none.
func readAnchors(path string) ([]transaction.AuditAnchor, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	anchors, err := transaction.ReadAnchors(io.LimitReader(file, maxAnchors))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return anchors, nil
}

// appendAnchor appends a line to a file and waits until it is on the disk.
func appendAnchor(path string, end transaction.AuditAnchor) error {
	text, err := json.Marshal(end)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Sync(), file.Close())
}
