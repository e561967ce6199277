// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/printmarket/printmarket/api/v1alpha1"
	"github.com/printmarket/printmarket/internal/posture/edit"
	"github.com/printmarket/printmarket/internal/process"
	"github.com/printmarket/printmarket/internal/queue"
)

func partnerCommand() *cobra.Command {
	var reason string
	return group("partner", "Onboard, suspend, resume and offboard a partner", `Onboard, suspend, resume and offboard a partner: in the cluster, or in a directory of
manifests with --from. Each command prints the fields that it changes. In the cluster, it
then waits until every replica enforces the change, and fails if there is no proof of that
within --timeout; the change remains.`,
		onboardCommand(),
		editCommand{
			use: "suspend NAME", short: "Reject all requests of a partner with 403; its records and keys remain",
			example: `  printmarket partner suspend acme --reason "invoice 4711 is unpaid"`,
			flags:   func(f *pflag.FlagSet) { registerStateReason(f, &reason) }, required: []string{"reason"},
			id: edit.Partner, patch: func() edit.Patch { return edit.Suspend(reason) },
		}.command(),
		editCommand{
			use: "resume NAME", short: "End the suspension of a partner",
			id: edit.Partner, patch: func() edit.Patch { return edit.Resume },
		}.command(),
		offboardCommand())
}

func onboardCommand() *cobra.Command {
	var o editOptions
	partner := edit.Onboarding{}
	var from, until instant
	var kind string
	return command[edit.Change]{
		use: "onboard NAME", short: "Create the PartnerEntitlement of a new partner, without keys", args: cobra.ExactArgs(1),
		long: `Create the PartnerEntitlement of a new partner. It has no keys: issue them afterwards with
printmarket keys issue. With --from, the new file is partners/NAME.yaml in the directory.`,
		example: `  printmarket partner onboard acme --organization org_acme01 --contract C-2027-14 \
    --capabilities rfq-create,rfq-read,rfq-list --scopes rfq:read,rfq:write`,
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			f.StringVar(&partner.Organization, "organization", "", "ID of the organization, such as org_acme01 (required)")
			f.StringVar(&partner.DisplayName, "display-name", "", "name of the partner in user interfaces")
			choose(f, &kind, "package", "", "commercial package: Standard, Enterprise, Sandbox or Platform",
				string(v1alpha1.PackageStandard), string(v1alpha1.PackageEnterprise), string(v1alpha1.PackageSandbox), string(v1alpha1.PackagePlatform))
			f.StringVar(&partner.Contract, "contract", "", "reference of the contract (required)")
			f.Var(&from, "contract-from", "start of the contract, such as 2027-01-01T00:00:00Z (default: now)")
			f.Var(&until, "contract-until", "end of the contract (default: none)")
			f.StringSliceVar(&partner.Capabilities, "capabilities", nil, "granted capabilities")
			f.StringSliceVar(&partner.Scopes, "scopes", nil, "scopes that the keys of the partner can have")
		},
		required: []string{"organization", "contract"},
		print: func(w io.Writer, c edit.Change) {
			printChange(w, c)
			_, name, _ := strings.Cut(c.Object, "/")
			line(w, "To issue a key, run: printmarket keys issue --partner "+name+" --name main --kind test")
		},
	}.local(func(cmd *cobra.Command, args []string) (edit.Change, error) {
		partner.Name, partner.Package, partner.ContractFrom, partner.ContractUntil = args[0], v1alpha1.Package(kind), from.orNow(), until.Time
		object, err := partner.Object()
		if err != nil {
			return edit.Change{}, err
		}
		store, err := o.open()
		if err != nil {
			return edit.Change{}, err
		}
		return store.Create(cmd.Context(), object, o.dryRun)
	})
}

// offboarded is the JSON output of an offboarding.
type offboarded struct {
	Changes []edit.Change `json:"changes"`
	DryRun  bool          `json:"dryRun"`
	// Cancelled are the RFQs that were open, CancelledJobs the preflight jobs that were waiting or running,
	// and DeletedSecrets the Secrets of webhooks and senders. A dry run changes none of them.
	Cancelled      []string `json:"cancelled"`
	CancelledJobs  []string `json:"cancelledJobs"`
	DeletedSecrets []string `json:"deletedSecrets"`
	// Remaining says what is left to do.
	Remaining []string `json:"remaining"`
}

func offboardCommand() *cobra.Command {
	var o editOptions
	var access platformAccess
	var jobs process.Redis
	var reason string
	var secrets bool
	cmd := command[offboarded]{
		use: "offboard NAME", short: "Suspend a partner and its senders, and end its RFQs, jobs and Secrets", args: cobra.ExactArgs(1),
		long: `Suspend a partner and its XJMF senders, cancel its open RFQs in production through the
platform API, and cancel its preflight jobs in the queue. Then list the remaining steps, such
as the erasure of its records. A second run continues an offboarding that failed in between.

The RFQs need a live key of the package Platform with ops:read and quotes:ingest, the jobs
need the address of Redis. Without them, the command lists the RFQs and the jobs as remaining.
--delete-secrets also deletes the Secrets of its webhooks and senders in the cluster, except
Secrets that other partners or senders use.`,
		example: `  printmarket partner offboard acme --reason "contract ended" --dry-run`,
		flags: func(f *pflag.FlagSet) {
			o.register(f)
			access.register(f)
			jobs.AddFlags(f)
			registerStateReason(f, &reason)
			f.BoolVar(&secrets, "delete-secrets", false, "delete the Secrets of the webhooks and senders of the partner")
		},
		required: []string{"reason"}, print: printOffboarded,
	}.local(func(cmd *cobra.Command, args []string) (done offboarded, err error) {
		ctx := cmd.Context()
		done.DryRun = o.dryRun
		store, err := o.open()
		if err != nil {
			return done, err
		}
		object, err := store.Get(ctx, edit.Partner(args[0]))
		if err != nil {
			return done, err
		}
		var partner v1alpha1.PartnerEntitlement
		if err := object.Decode(&partner); err != nil {
			return done, err
		}
		senders, err := store.Senders(ctx, args[0])
		if err != nil {
			return done, err
		}
		ids := []edit.ID{edit.Partner(args[0])}
		for i := range senders {
			ids = append(ids, edit.Sender(senders[i].Name))
		}
		for _, id := range ids {
			change, err := o.edit(ctx, store, id, edit.Suspend(reason))
			if change.Object != "" {
				done.Changes = append(done.Changes, change)
			}
			if err != nil {
				return done, resultError{err}
			}
		}
		organization := partner.Spec.OrganizationID
		if access.apiURL == "" && os.Getenv("PRINTMARKET_API_URL") == "" {
			done.Remaining = append(done.Remaining, "Open RFQs were not read: set --api-url and a key, or run: printmarket rfqs list --organization "+organization+" --status open,quoted")
		} else if client, err := access.open(); err != nil {
			return done, resultError{err}
		} else if done.Cancelled, err = client.CancelOpenRFQs(ctx, organization, reason, o.dryRun); err != nil {
			return done, resultError{err}
		}
		done.CancelledJobs, err = withQueue(&jobs, func(q *queue.Queue) ([]string, error) {
			return q.CancelAll(ctx, organization, o.dryRun)
		})
		if errors.Is(err, process.ErrNoRedis) {
			done.Remaining = append(done.Remaining, "Preflight jobs were not read: set --redis, or run: printmarket queue ls --organization "+organization+", then printmarket queue cancel JOB")
		} else if err != nil {
			return done, resultError{err}
		}
		if cluster, isCluster := store.(*edit.Cluster); secrets && isCluster {
			if done.DeletedSecrets, err = cluster.DeleteSecrets(ctx, partner, o.dryRun); err != nil {
				return done, resultError{err}
			}
		} else {
			for _, name := range edit.SecretsOf(partner, senders) {
				done.Remaining = append(done.Remaining, "Secret of webhooks or senders: kubectl delete secret "+name)
			}
		}
		done.Remaining = append(done.Remaining, "Records: printmarket organizations erase "+organization+" --reason REASON, then delete the PartnerEntitlement")
		return done, nil
	})
	cmd.ValidArgsFunction = firstArgument(partnerNames)
	return cmd
}

// mostPrinted limits the printed names of each kind.
const mostPrinted = 500

func printOffboarded(w io.Writer, done offboarded) {
	for _, change := range done.Changes {
		printChange(w, change)
		line(w)
	}
	form := "%s that were %s: %d"
	if done.DryRun {
		form = "%s that would be %s: %d"
	}
	for _, part := range []struct {
		noun, verb string
		names      []string
	}{
		{"Open RFQs", "cancelled", done.Cancelled}, {"Preflight jobs", "cancelled", done.CancelledJobs}, {"Secrets", "deleted", done.DeletedSecrets},
	} {
		if part.names == nil {
			continue
		}
		line(w, fmt.Sprintf(form, part.noun, part.verb, len(part.names)))
		shown := part.names[:min(len(part.names), mostPrinted)]
		for _, name := range shown {
			line(w, "  "+name)
		}
		if more := len(part.names) - len(shown); more > 0 {
			line(w, fmt.Sprintf("  and %d more; -o json lists all", more))
		}
	}
	if len(done.Remaining) > 0 {
		line(w, "Remaining:")
	}
	for _, text := range done.Remaining {
		line(w, "  "+text)
	}
}
