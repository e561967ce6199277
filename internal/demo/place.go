// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Place is where a running platform is. URLs have no slash at their end.
type Place struct {
	API, Registry, Ops, Dashboard, Redis string
	// Files is the URL of the directory whose PDFs can be preflighted.
	Files string
	// Resources is the directory of manifests.
	Resources string
}

// Variable is one line of the file of variables.
type Variable struct{ Name, Value string }

// Environment is the content of dev.env. Scripts rely on every name.
func (p Place) Environment(s Secrets) ([]Variable, error) {
	resources, err := filepath.Abs(p.Resources)
	if err != nil {
		return nil, err
	}
	values := []Variable{
		{"API_URL", p.API},
		{"REGISTRY_URL", p.Registry},
		{"OPS_URL", p.Ops},
		{"DASHBOARD_URL", p.Dashboard},
		{"REDIS_URL", p.Redis},
		{"RESOURCES_DIR", resources},
	}
	for _, k := range keys {
		values = append(values, Variable{k.variable, s[k.variable]})
	}
	return append(values,
		Variable{"XJMF_SENDER", Sender},
		Variable{"XJMF_SECRET", s[secretVariable]},
		Variable{"XJMF_SCHEME", Scheme},
		Variable{"CATALOG_PRODUCT_UID", Product},
		Variable{"CATALOG_CATEGORY", Category},
		Variable{"CATALOG_OTHER_CATEGORY", OtherCategory},
		Variable{"L4_MEDIA_ID", Media},
	), nil
}

// WriteEnvironment writes variables for a shell to read, each with the prefix
// PRINTMARKET_.
func WriteEnvironment(path string, values []Variable) error {
	var text strings.Builder
	for _, v := range values {
		fmt.Fprintf(&text, "PRINTMARKET_%s=%s\n", v.Name, shellWord(v.Value))
	}
	if err := WriteAtomically(path, []byte(text.String())); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(path), err)
	}
	return nil
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:@%+=,-]+$`)

// shellWord quotes a value where a shell would read it as more than one word.
func shellWord(value string) string {
	if plainWord.MatchString(value) {
		return value
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

// Banner returns what `printmarket dev` prints when it is ready. files and environment
// are the paths of the directory of PDFs and of the file of variables, and fault is the
// reason why the manifests are not in force, if any.
func (p Place) Banner(s Secrets, files, environment string, fault error) string {
	state := "The gates are open as the manifests say."
	if fault != nil {
		state = "The manifests are refused, so every gate is closed: " + fault.Error()
	}
	return fmt.Sprintf(`printmarket is running. %s

  API        %s
  Registry   %s
  Operations %s/readyz
  Dashboard  %s/tour   (begin here: a tour in five steps)
  Operators  %s/ops   (who may do what: sign in with PRINTMARKET_PLATFORM_LIVE_KEY)
  Manifests  %s   (edit a file: the next request obeys)
  Files      %s   (a PDF here can be preflighted from %s/)
  Variables  %s

%s`, state, p.API, p.Registry, p.Ops, p.Dashboard, p.Dashboard, p.Resources, files, p.Files, environment, p.Tour(s))
}

// Tour returns three commands to paste into a shell, each with the response to expect.
func (p Place) Tour(s Secrets) string {
	key := s["ACME_TEST_KEY"] // the sandbox, where simulated suppliers quote
	return fmt.Sprintf(`Create an RFQ in the sandbox, then read its quotes (201, 200):

  Q=$(curl -si %s/api/v1/rfq -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -H "Idempotency-Key: $(date +%%s%%N)" -d '{"catalogProductUid":%q,"title":"Spring flyers","category":%q,"quantity":5000,"deliveryCity":"Utrecht"}' | tee /dev/stderr | sed -n 's/.*"id":"\([^"]*\)".*/\1/p'); sleep 4; curl -i %s/api/v1/rfq/$Q/quotes -H 'Authorization: Bearer %s'

Preflight a PDF (202, then its report):

  J=$(curl -s %s/api/v1/preflight -H 'Authorization: Bearer %s' -H 'Content-Type: application/json' -d '{"fileUrl":"%s/%s","profile":"print_ready"}' | tee /dev/stderr | sed 's/.*"jobId":"\([^"]*\)".*/\1/'); sleep 2; curl -i %s/api/v1/preflight/$J -H 'Authorization: Bearer %s'

Request an estimate (503: disabled for all partners):

  curl -i -X POST %s/api/v1/estimate -H 'Authorization: Bearer %s'

`,
		p.API, key, Product, Category, p.API, key,
		p.API, key, p.Files, SampleFile, p.API, key,
		p.API, key)
}
