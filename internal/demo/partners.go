// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// partner is a partner of the demo and what it does.
type partner struct {
	name, organization, display string
	// keys are the digests of the keys in use.
	keys []credential.Digest
	// perDay limits the RFQs of a day; 0 is no limit.
	perDay int
	// preflight reports whether the partner submits files, sandbox whether it also has a test
	// key.
	preflight, sandbox bool
}

func (p *partner) owner(mode tenant.Mode) tenant.ID {
	return tenant.ID{Organization: p.organization, Mode: mode}
}

// known are the partners of the demo set that have records, the largest first. The contract of
// the fourth, initech, is not in force.
func known(s Secrets) ([]partner, error) {
	partners := []partner{
		{name: "acme", organization: "org_acme01", display: "Acme Print Buyers", preflight: true, sandbox: true},
		{name: "stark", organization: "org_stark1", display: "Stark Print Works", preflight: true},
		{name: "globex", organization: "org_globex", display: "Globex Stationery", perDay: 2},
	}
	for i, variables := range [][]string{{"ACME_LIVE_KEY", "ACME_TEST_KEY", "ACME_BRIDGE_KEY"}, {"STARK_LIVE_KEY"}, {"GLOBEX_LIVE_KEY"}} {
		for _, variable := range variables {
			if s[variable] == "" {
				continue // a database without a data directory
			}
			key, err := credential.Parse(s[variable])
			if err != nil {
				return nil, fmt.Errorf("%s: %w", variable, err)
			}
			partners[i].keys = append(partners[i].keys, key.Digest())
		}
	}
	return partners, nil
}

// The words of the names of further partners.
var (
	firstWords  = []string{"Alder", "Birch", "Canal", "Delta", "Ember", "Fjord", "Garnet", "Harbour", "Indigo", "Juniper", "Kestrel", "Linden", "Meridian", "North", "Orchard", "Poplar", "Quarry", "River", "Sable", "Tidal"}
	secondWords = []string{"Agency", "Books", "Brands", "Cosmetics", "Events", "Foods", "Gallery", "Hotels", "Media", "Museum", "Packaging", "Press", "Retail", "Theatre", "Travel", "Wines"}
)

// further returns a generated partner. No key has its digest, which is random.
func further(n int, random io.Reader) (partner, error) {
	display := firstWords[n%len(firstWords)] + " " + secondWords[n/len(firstWords)%len(secondWords)]
	if round := n / (len(firstWords) * len(secondWords)); round > 0 {
		display += fmt.Sprintf(" %d", round+1)
	}
	var digest credential.Digest
	if _, err := io.ReadFull(random, digest[:]); err != nil {
		return partner{}, err
	}
	return partner{
		name: fmt.Sprintf("demo-%05d", n+1), organization: fmt.Sprintf("org_demo%05d", n+1), display: display,
		keys: []credential.Digest{digest}, preflight: true,
	}, nil
}

// manifest is the PartnerEntitlement of a generated partner.
const manifest = `apiVersion: marketplace.printmarket.dev/v1alpha1
kind: PartnerEntitlement
metadata:
  name: %s
spec:
  organizationID: %s
  displayName: %s
  package: Standard
  state: Active
  contract:
    reference: DEMO
    effectiveFrom: "2024-01-01T00:00:00Z"
  capabilities:
  - name: rfq-create
  - name: rfq-read
  - name: rfq-list
  - name: quote-read
  - name: preflight
  scopes: [rfq:read, rfq:write, quote:read, preflight:read, preflight:write, account:read]
  keys:
  - name: live
    kind: Live
    # A random digest: no key belongs to it.
    sha256: "%s"
    state: Active
    scopes: [rfq:read, rfq:write, quote:read, preflight:read, preflight:write, account:read]
`

// partnersPerFile limits the objects of one file of manifests.
const partnersPerFile = 100

// writePartners writes the manifests of generated partners.
func writePartners(resources string, partners []partner) error {
	dir := filepath.Join(resources, "partners")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for from := 0; from < len(partners); from += partnersPerFile {
		var text strings.Builder
		for i, p := range partners[from:min(from+partnersPerFile, len(partners))] {
			if i > 0 {
				text.WriteString("---\n")
			}
			fmt.Fprintf(&text, manifest, p.name, p.organization, p.display, hex.EncodeToString(p.keys[0][:]))
		}
		if err := WriteAtomically(filepath.Join(dir, fmt.Sprintf("demo-%05d.yaml", from+1)), []byte(text.String())); err != nil {
			return err
		}
	}
	return nil
}

// endpoint is a webhook of acme. Its URL leads nowhere, by its domain (RFC 2606).
type endpoint struct{ name, url, events string }

var endpoints = [...]endpoint{
	{"mis", "https://mis.acme.example/printmarket", ""},
	{"archive", "https://archive.acme.example/hooks/preflight", "\n    events: [preflight.succeeded, preflight.failed]"},
}

// writeEndpoints adds the webhooks to the manifest of acme, unless the manifest has webhooks
// or is missing, and the Secret that signs their events.
func writeEndpoints(resources string, random io.Reader) error {
	path := filepath.Join(resources, "partners", "acme.yaml")
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && strings.Contains(string(text), "\n  webhooks:") {
		return nil
	}
	if err != nil {
		return err
	}
	secret, err := credential.MintWebhookSecret(random)
	if err != nil {
		return err
	}
	manifest := "apiVersion: v1\nkind: Secret\nmetadata:\n  name: acme-demo-webhooks\nstringData:\n  first: " + secret.Reveal() + "\n"
	if err := WriteAtomically(filepath.Join(resources, "acme-demo-webhooks.yaml"), []byte(manifest)); err != nil {
		return err
	}
	var added strings.Builder
	added.WriteString("\nspec:\n  webhooks:\n")
	for _, e := range endpoints {
		fmt.Fprintf(&added, "  - name: %s\n    kind: Live\n    url: %s%s\n    secrets:\n    - name: first\n      secretRef: {name: acme-demo-webhooks, key: first}\n", e.name, e.url, e.events)
	}
	return WriteAtomically(path, []byte(strings.Replace(string(text), "\nspec:\n", added.String(), 1)))
}
