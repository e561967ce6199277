// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/printmarket/printmarket/internal/preflight/testpdf"
)

// filesDir is the directory in the data directory whose files the dashboard
// listener serves below /files/, so that a PDF from disk has a URL.
const filesDir = "files"

// sampleFile is a PDF to try preflight with.
const sampleFile = "sample.pdf"

// What the demo catalog sells, and a group that the product is not in.
const (
	demoProduct       = "print:flyers:a5"
	demoCategory      = "commercial-print"
	demoOtherCategory = "stationery"
	// demoMedia is the id of acme's demo paper; costing reads it.
	demoMedia = "acme-silk-135"
)

// announce writes dev.env and prints the banner.
func (p *platform) announce(out io.Writer) error {
	sample := filepath.Join(p.options.data, filesDir, sampleFile)
	if _, err := os.Stat(sample); os.IsNotExist(err) {
		if err := writeAtomically(sample, testpdf.Good()); err != nil {
			return fmt.Errorf("write the sample file: %w", err)
		}
	}
	values, err := p.environment()
	if err != nil {
		return err
	}
	path := filepath.Join(p.options.data, "dev.env")
	var text strings.Builder
	for _, v := range values {
		fmt.Fprintf(&text, "PRINTMARKET_%s=%s\n", v.name, shellWord(v.value))
	}
	if err := writeAtomically(path, []byte(text.String())); err != nil {
		return fmt.Errorf("write dev.env: %w", err)
	}
	_, err = io.WriteString(out, p.banner(path))
	return err
}

type variable struct{ name, value string }

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord quotes a value where a shell would read it as more than one word.
func shellWord(value string) string {
	if plainWord.MatchString(value) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// environment is the content of dev.env. Scripts rely on every name.
func (p *platform) environment() ([]variable, error) {
	resources, err := filepath.Abs(p.options.resources)
	if err != nil {
		return nil, err
	}
	values := []variable{
		{"API_URL", urlOf(p.sockets.api, p.options.publicAPI)},
		{"REGISTRY_URL", urlOf(p.sockets.registry, p.options.publicRegistry)},
		{"OPS_URL", urlOf(p.sockets.ops, "")},
		{"DASHBOARD_URL", urlOf(p.sockets.dashboard, "")},
		{"REDIS_URL", p.redisURL},
		{"RESOURCES_DIR", resources},
	}
	for _, k := range demoKeys {
		values = append(values, variable{k.variable, p.secrets[k.variable]})
	}
	return append(values,
		variable{"XJMF_SENDER", demoSender},
		variable{"XJMF_SECRET", p.secrets[secretVariable]},
		variable{"CATALOG_PRODUCT_UID", demoProduct},
		variable{"CATALOG_CATEGORY", demoCategory},
		variable{"CATALOG_OTHER_CATEGORY", demoOtherCategory},
		variable{"L4_MEDIA_ID", demoMedia},
	), nil
}

func (p *platform) banner(env string) string {
	api := urlOf(p.sockets.api, p.options.publicAPI)
	files := urlOf(p.sockets.dashboard, "") + "/files/"
	key := p.secrets["ACME_LIVE_KEY"]
	state := "The gates are open as the manifests say."
	if err := p.source.Healthy(); err != nil {
		state = "The manifests are refused, so every gate is closed: " + err.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, `printmarket is running. %s

  API        %s
  Registry   %s
  Operations %s/readyz
  Dashboard  %s/
  Manifests  %s   (edit a file: the next request obeys)
  Files      %s   (a PDF here can be preflighted from %s)
  Variables  %s

Create an RFQ (201):

  curl -i %s/api/v1/rfq -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%%s%%N)" -d '{"catalogProductUid":%q,"title":"Spring flyers","category":%q,"quantity":5000,"deliveryCity":"Utrecht"}'

Preflight a PDF (202, then its report):

  J=$(curl -s %s/api/v1/preflight -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"fileUrl":"%s%s","profile":"print_ready"}' | tee /dev/stderr | sed 's/.*"jobId":"\([^"]*\)".*/\1/'); sleep 2; curl -i %s/api/v1/preflight/$J -H 'Authorization: Bearer %s'

Ask for an estimate (503: disabled for everyone):

  curl -i -X POST %s/api/v1/estimate -H 'Authorization: Bearer %s'

`,
		state, api, urlOf(p.sockets.registry, p.options.publicRegistry), urlOf(p.sockets.ops, ""), urlOf(p.sockets.dashboard, ""),
		p.options.resources, filepath.Join(p.options.data, filesDir), files, env,
		api, key, demoProduct, demoCategory,
		api, key, files, sampleFile, api, key,
		api, key)
	return b.String()
}
