// SPDX-License-Identifier: Apache-2.0

package charts_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/eventually"
)

// The module with the CRDs of the Prometheus operator, and its checksum as in a go.sum.
const (
	operatorModule   = "github.com/prometheus-operator/prometheus-operator@v0.85.0"
	operatorChecksum = "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s="
)

// TestPrometheusOperatorAcceptsMonitorsAndRules installs the CRDs of the operator. The server rejects
// unknown fields.
func TestPrometheusOperatorAcceptsMonitorsAndRules(t *testing.T) {
	t.Parallel()
	requirePlane(t)
	requireHelm(t)
	download := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", operatorModule)
	download.Dir = t.TempDir() // outside of our module
	output, err := download.Output()
	if err != nil {
		t.Fatalf("go mod download: %v\n%s", err, output)
	}
	var module struct{ Dir, Sum string }
	if err := json.Unmarshal(output, &module); err != nil || module.Sum != operatorChecksum {
		t.Fatalf("%s has the checksum %s (%v), want %s", operatorModule, module.Sum, err, operatorChecksum)
	}
	for _, kind := range []string{"servicemonitors", "podmonitors", "prometheusrules"} {
		file := filepath.Join(module.Dir, "example", "prometheus-operator-crd", "monitoring.coreos.com_"+kind+".yaml")
		kubectlOf(t, plane, "default", nil, "apply", "--server-side", "--filename="+file)
	}
	namespace := plane.Namespace(t)
	accepted := 0
	check := func(source, stream string) {
		t.Helper()
		for document := range strings.SplitSeq(stream, "\n---\n") {
			if !strings.Contains(document, "apiVersion: monitoring.coreos.com/") {
				continue
			}
			document = strings.ReplaceAll(document, `namespace: "printmarket"`, "namespace: "+namespace)
			eventually.Succeeds(t, func() error { // the server may not serve the kinds yet
				return plane.Apply(t, plane.Admin(), namespace, document)
			})
			accepted++
		}
		t.Logf("%s: %d objects so far", source, accepted)
	}
	check("chart", render(t, platformChart, origins+"monitoring: {monitors: {enabled: true}, rules: {enabled: true}}\nwebhooks: {enabled: true}"))
	for _, name := range []string{"monitors.yaml", "rules.yaml"} {
		text, err := os.ReadFile(filepath.Join("..", "config", "monitoring", name))
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		check(name, string(text))
	}
	if accepted < 8 {
		t.Errorf("%d monitors and rules were accepted, want one for each process and the rules, twice", accepted)
	}
}
