// SPDX-License-Identifier: Apache-2.0

package bridgeapi_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/apiserver/bridgeapi"
	"github.com/printmarket/printmarket/internal/masterdata/authority"
	"github.com/printmarket/printmarket/internal/money"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/test/apitest"
)

func guide(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/guides/bridge.md")
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	return string(text)
}

// shown returns the master data of the guide's examples.
func shown() authority.Content {
	return authority.Content{
		Owner: acme, Currency: "EUR",
		Media: []authority.Media{
			{
				ID: "acme-silk-135", Name: "Silk 135 g/m2, 70 x 100 cm", MediaType: "Paper", Width: 700 * money.One, Height: 1000 * money.One,
				Weight: 135 * money.One, Thickness: 105 * money.One, Grain: authority.GrainY, Coating: "Satin", Price: per(authority.PerThousandSheets),
			},
			{
				ID: "acme-uncoated-90", Name: "Uncoated 90 g/m2, SRA3", MediaType: "Paper", Width: 320 * money.One, Height: 450 * money.One,
				Weight: 90 * money.One, Thickness: 112 * money.One, Coating: "None", Price: per(authority.PerThousandSheets),
			},
		},
		Devices: []authority.Device{{
			ID: "acme-b2", Name: "B2 press", Manufacturer: "Maker", Process: authority.ConventionalPrinting, MaxSheet: area(530, 750), PrintArea: area(520, 740),
			Weight: authority.Range{Min: 60 * money.One, Max: 400 * money.One}, Speed: 15_000 * money.One, Colors: 4, Perfecting: true, Plate: "acme-plate",
		}},
		Plates: []authority.Plate{{ID: "acme-plate", Name: "Plate", Width: 605 * money.One, Height: 745 * money.One, Price: per(authority.PerPiece)}},
	}
}

var digest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// TestGuideShowsActualAnswers sends the requests of the guide. Only the digest may differ
// from the guide.
func TestGuideShowsActualAnswers(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	publish(t, server, shown())
	text := guide(t)
	zeros := []byte("sha256:" + strings.Repeat("0", 64))
	fences := regexp.MustCompile("(?s)```(json|xml)\n(.*?)```").FindAllStringSubmatch(text, -1)
	asked := regexp.MustCompile("GET (/api/v1/xjdf/[^`]+)`:").FindAllStringSubmatch(text, -1)
	if len(fences) != 3 || len(asked) != 2 {
		t.Fatalf("the guide has %d example answers for %d requests", len(fences), len(asked))
	}
	for i, request := range asked {
		var got, want any
		body := digest.ReplaceAll(get(t, server, "acme-live", request[1]).Want(t, 200, "").Body, zeros)
		if err := json.Unmarshal([]byte(fences[i][2]), &want); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		apitest.Answer{Body: body}.Into(t, &got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-guide +answer):\n%s", request[1], diff)
		}
	}
	body := digest.ReplaceAll(export(t, server, "?category=media", "application/xml").Want(t, 200, "").Body, zeros)
	want, err := xjdf.Parse([]byte(fences[2][2]), xjdf.DefaultLimits)
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
	got, err := xjdf.Parse(body, xjdf.DefaultLimits)
	if err != nil || !xjdf.Equal(want.Root, got.Root) {
		t.Errorf("the document of the guide is invalid (%v):\n%s", err, body)
	}
}

// rows returns the rows of the table with a heading.
func rows(t *testing.T, heading string) [][]string {
	t.Helper()
	_, after, found := strings.Cut(guide(t), heading+"\n")
	if !found {
		t.Fatalf("the guide has no table %s", heading)
	}
	var all [][]string
	for _, line := range strings.Split(after, "\n")[1:] {
		if !strings.HasPrefix(line, "|") {
			break
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(line, "| "), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		all = append(all, cells)
	}
	return all
}

func TestGuideListsSetOfEachFamily(t *testing.T) {
	t.Parallel()
	s := snapshot(t, content(acme, "own", 1))
	var want, got []string
	for _, family := range authority.Families() {
		set := bridgeapi.Document(s, []authority.Family{family}).Child("ResourceSet")
		name, _ := set.Attr("Name")
		usage, present := set.Attr("ProcessUsage")
		if !present {
			usage = "-"
		}
		want = append(want, fmt.Sprintf("%s | %s | %s", family, name, usage))
	}
	for _, row := range rows(t, "| category | set | ProcessUsage | a resource holds |") {
		got = append(got, strings.Join(row[:3], " | "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sets (-code +guide):\n%s", diff)
	}
}

// TestGuideListsEveryDescriptor writes one resource for each possible descriptor.
func TestGuideListsEveryDescriptor(t *testing.T) {
	t.Parallel()
	c := content(acme, "own", 1)
	c.Inks[0].Separation, c.Laminations[0].Texture, c.Varnishes[0].Coating, c.Labor[0].LaborType = "a b", "a b", "a b", "a b"
	met := map[string]bool{}
	for n := range bridgeapi.Document(snapshot(t, c), authority.Families()).Descendants() {
		if usage, present := n.Attr("IDUsage"); present && n.Parent.Name.Local == "Resource" {
			met[usage] = true
		}
	}
	var listed []string
	for _, row := range rows(t, "| IDUsage | of | unit |") {
		listed = append(listed, strings.Split(row[0], ", ")...)
	}
	for _, usage := range listed {
		if !met[usage] {
			t.Errorf("descriptor %s of the guide is never written", usage)
		}
		delete(met, usage)
	}
	if len(met) > 0 {
		t.Errorf("the guide does not list the descriptors %v", met)
	}
}

func TestGuideListsScopesSourcesAndStatusOfEachCode(t *testing.T) {
	t.Parallel()
	var scopes []string
	for _, row := range rows(t, "| path | scope | default source |") {
		scopes = append(scopes, strings.Trim(row[0], "`")+" "+row[1][:strings.LastIndex(row[1][:min(len(row[1]), 20)], "`")+1]+" "+row[2])
	}
	want := []string{mediaPath + " `master_data:read` organization", devicesPath + " `devices:read` platform", exportPath + " `master_data:read` organization"}
	if diff := cmp.Diff(want, scopes); diff != "" {
		t.Errorf("routes (-code +guide):\n%s", diff)
	}
	var codes []string
	for _, row := range rows(t, "| response | cause |") {
		status, code, _ := strings.Cut(row[0], " ")
		definition, known := problem.Lookup(problem.Code(strings.Trim(code, "`")))
		if !known || fmt.Sprint(definition.Status) != status {
			t.Errorf("code %s has status %d, which differs from the guide", row[0], definition.Status)
		}
		codes = append(codes, string(definition.Code))
	}
	for _, code := range []problem.Code{problem.CodeInvalidCategory, problem.CodeMasterDataDuplicate, problem.CodeMasterDataOverflow, problem.CodeMasterDataUnavailable} {
		if !slices.Contains(codes, string(code)) {
			t.Errorf("the guide does not list code %s", code)
		}
	}
}
