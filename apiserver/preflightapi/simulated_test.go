// SPDX-License-Identifier: Apache-2.0

package preflightapi_test

import (
	"slices"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// answers bounds the bytes that are read of a response: reports are larger than requests.
var answers = gate.JSONLimits{Depth: gate.MaxJSONDepth, Members: 10_000, Elements: 100_000, Values: 2_000_000, Digits: 1_000}

func TestSimulatedReportsAreValid(t *testing.T) {
	t.Parallel()
	set, err := contracts.Load(docs.API)
	if err != nil {
		t.Fatalf("contracts.Load: %v", err)
	}
	schema, err := set.Schema(contracts.Preflight, "PreflightReport")
	if err != nil {
		t.Fatalf("set.Schema PreflightReport: %v", err)
	}
	for _, verdict := range []preflightjob.Verdict{preflightjob.Pass, preflightjob.Warn, preflightjob.Fail} {
		encoded := preflightapi.SimulatedReport(verdict)
		value, err := answers.Decode(encoded)
		if err != nil {
			t.Fatalf("answers.Decode: %v", err)
		}
		if found := schema.Violations(value); len(found) > 0 {
			t.Errorf("%s: the report violates the contract: %v", verdict, found)
		}
		read, err := report.Decode(encoded)
		if err != nil {
			t.Fatalf("report.Decode: %v", err)
		}
		if string(read.Verdict) != string(verdict) || report.Judge(read.Findings) != read.Verdict {
			t.Errorf("%s: verdict %s with findings %v", verdict, read.Verdict, read.Findings)
		}
		if n := read.Summary.Errors + read.Summary.Warnings + read.Summary.Infos; n != len(read.Findings) {
			t.Errorf("%s: the summary counts %d of %d findings", verdict, n, len(read.Findings))
		}
		if !slices.Contains(preflightjob.SimulatorProfiles(), read.Profile.Name) {
			t.Errorf("%s: the profile %s is not one of the simulator's", verdict, read.Profile.Name)
		}
	}
	if got := preflightapi.SimulatedReport("other"); got != nil {
		t.Errorf("an unknown verdict has the report %s, want none", got)
	}
}
