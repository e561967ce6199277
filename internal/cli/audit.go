// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/apiserver/platformapi"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/webhook"
)

var auditTable = table[platformapi.AuditEntry]{
	columns: []any{"AT", "WHO", "KEY", "DID", "OWNER", "SUBJECT", "REASON"},
	wide:    []any{"REQUEST"},
	cells: func(d *platformapi.AuditEntry) []any {
		return []any{stamp(d.At), d.Organization, d.Key, d.Verb, d.Owner, d.Subject, d.Reason, d.RequestID}
	},
}

func auditCommand() *cobra.Command {
	cmd := listCommand("entries", command[[]platformapi.AuditEntry]{
		use: "audit", short: "List privileged changes to the records of partners, newest first",
	}, auditTable, func(d *platformapi.AuditEntry) *string { return &d.ID }, func(ctx context.Context, r request, size *int, before *string) (*http.Response, error) {
		return r.ListAudit(ctx, &platformapi.ListAuditParams{Limit: size, Before: before})
	})
	cmd.AddCommand(auditVerifyCommand(), auditAnchorCommand())
	return cmd
}

const anchorFlag = "file"

func auditVerifyCommand() *cobra.Command {
	var anchors transaction.AnchorFile
	return command[transaction.AuditAnchor]{
		use: "verify", short: "Verify the chain of hashes of the audit",
		long: `Compute the hashes of all audit entries again, and compare them with the stored ones.
The command fails and names the first entry that is missing or was changed.

With --file, it also compares the chain with the anchors of the file: the owner of the
database can compute a new chain, but not change a file elsewhere.`,
		flags: func(f *pflag.FlagSet) {
			f.StringVar((*string)(&anchors), anchorFlag, "", "file with the anchors that audit anchor has written")
		},
		print: printAnchor,
	}.onPlatform(func(ctx context.Context, r request) (transaction.AuditAnchor, error) {
		return verifyAudit(ctx, r, anchors)
	})
}

func auditAnchorCommand() *cobra.Command {
	var anchors transaction.AnchorFile
	var target, secretFile string
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
			f.StringVar((*string)(&anchors), anchorFlag, "", "file of anchors, created if it does not exist")
			f.StringVar(&target, "webhook", "", "URL that receives the anchor")
			f.StringVar(&secretFile, "secret-file", "", "file with the secret that signs the request to the webhook (default: $"+webhookSecretVariable+")")
		},
		check: func() error {
			switch {
			case target != "":
				return checkURL(target, fmt.Errorf("--webhook must be a URL such as https://anchors.example.com/printmarket, not %q", target), "an anchor")
			case anchors == "":
				return errors.New("set --file, --webhook or both")
			default:
				return nil
			}
		},
		print: printAnchor,
	}.onPlatform(func(ctx context.Context, r request) (transaction.AuditAnchor, error) {
		end, err := verifyAudit(ctx, r, anchors)
		if err != nil {
			return end, err
		}
		// An unavailable webhook does not keep the anchor from the file.
		if target != "" {
			var secret credential.Secret
			if secret, err = readSecret(secretFile, webhookSecretVariable); err == nil {
				end.Receipt, err = webhook.SendAnchor(ctx, target, secret, end)
			}
		}
		if anchors != "" {
			err = errors.Join(err, anchors.Append(end))
		}
		return end, err
	})
}

func printAnchor(w io.Writer, end transaction.AuditAnchor) {
	line(w, "MODE", "ENTRIES", "HASH", "ANCHORS")
	line(w, end.Mode, end.Sequence, end.Hash, end.Anchors)
}

// verifyAudit verifies the chain of the key's mode, and the anchors of a file.
func verifyAudit(ctx context.Context, r request, anchors transaction.AnchorFile) (transaction.AuditAnchor, error) {
	return anchors.Verify(time.Now(), func(after int64, limit int) (mode tenant.Mode, chain transaction.AuditChain, err error) {
		page, err := platformapi.Answer[platformapi.AuditChain](r.ListAuditChain(ctx, &platformapi.ListAuditChainParams{After: &after, Limit: &limit}))
		if err != nil {
			return mode, chain, err
		}
		return page.Chain()
	})
}
