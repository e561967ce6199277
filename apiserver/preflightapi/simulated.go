// SPDX-License-Identifier: Apache-2.0

package preflightapi

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

// The simulator inspects no file, so its reports name an engine of their own,
// and the digest of nothing.
const (
	simulatorName    = "printmarket-simulator"
	simulatorVersion = "1.0.0"
)

func simulatorDigest() string {
	nothing := sha256.Sum256(nil)
	return hex.EncodeToString(nothing[:])
}

// simulatorModel returns a simulated profile, such as sim:failed:FETCH_STATUS, in the form
// in which partners read profiles.
func simulatorModel(name string) PreflightProfile {
	status, result, _ := strings.Cut(strings.TrimPrefix(name, "sim:"), ":")
	description := "The server fetches no file. The job ends immediately as " + status
	switch preflightjob.Status(status) {
	case preflightjob.Succeeded:
		description += ", with a report of the verdict " + result
	case preflightjob.Failed:
		description += ", with the failure " + result
	}
	return PreflightProfile{
		Name: name, Kind: Simulator, Version: simulatorVersion, Title: strings.TrimSpace("Simulator: " + status + " " + result),
		Description: description + ".", Digest: simulatorDigest(), Links: profileLinks(name), Rules: []ProfileRule{},
	}
}

// SimulatedReport returns the report of a simulated job: one A4 page with the finding
// that the verdict requires. It returns nil for an unknown verdict, which ends no job.
func SimulatedReport(verdict preflightjob.Verdict) []byte {
	if !verdict.Valid() {
		return nil
	}
	digest := simulatorDigest()
	findings := []report.Finding{}
	if severity, found := map[preflightjob.Verdict]report.Severity{preflightjob.Warn: report.Warning, preflightjob.Fail: report.Error}[verdict]; found {
		findings = append(findings, report.Finding{
			Rule: "file.simulated", MessageID: "file.simulated", Severity: severity, Category: report.CategoryFile, Count: 1,
			Message: "Simulated verdict: the profile of the job requests it, and no file was fetched.",
			FixHint: "Submit the file with an inspection profile.",
		})
	}
	encoded, err := report.Encode(report.Report{
		Version:  report.Version,
		Language: report.Languages()[0],
		Engine:   report.Engine{Name: simulatorName, Version: simulatorVersion, Parser: "none"},
		Profile:  report.Profile{Name: "sim:succeeded:" + string(verdict), Version: simulatorVersion, Digest: digest},
		Verdict:  report.Judge(findings),
		Complete: true,
		File:     report.File{SHA256: digest},
		Summary:  report.Count(findings),
		Document: &report.Document{
			PDFVersion: "1.6", Pages: 1, Title: "Simulated",
			Standards: []string{}, OutputIntents: []report.OutputIntent{}, Layers: []report.Layer{}, Annotations: map[string]int{}, Actions: map[string]int{}, Attachments: []string{},
		},
		Pages: []report.Page{{
			Number: 1, Size: [2]float64{210, 297}, UserUnit: 1, Boxes: report.Boxes{Media: report.Rect{0, 0, 595.28, 841.89}}, Text: []report.Rect{},
		}},
		Fonts: []report.Font{}, Images: []report.Image{}, Colors: []report.Color{}, Inks: []report.Ink{},
		Findings: findings,
	})
	if err != nil {
		return nil // numbers and strings always encode
	}
	return encoded
}
