// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/pkg/preflight/report"
)

const (
	costExamples = "../../docs/examples/costing/"
	costPrinter  = costExamples + "printer.yaml"
)

// cost runs a command of costing.
func cost(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = cli.Main(t.Context(), append([]string{"costing"}, args...), &out, &errs)
	return out.String(), errs.String(), code
}

// editedExample writes an example in which a text is another, and returns its name.
func editedExample(t *testing.T, example, old, put string) string {
	t.Helper()
	text, err := os.ReadFile(costExamples + example)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q: %v", example, old, err)
	}
	name := filepath.Join(t.TempDir(), example)
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), old, put, 1)), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	return name
}

// columns matches the space between two columns of a table.
var columns = regexp.MustCompile(` {2,}`)

func TestCostingGuidesShowTheOutputOfTheCommands(t *testing.T) {
	t.Parallel()
	edited := editedExample(t, "small-shop.yaml", "amount: 90\n", "amount: 99\n")
	var blocks []string
	for _, guide := range []string{"costing-commands", "costing-services", "costing-start"} {
		text, err := os.ReadFile("../../docs/guides/" + guide + ".md")
		if err != nil {
			t.Fatalf("os.ReadFile: %v", err)
		}
		blocks = append(blocks, strings.Split(string(text), "```console\n$ printmarket ")[1:]...)
	}
	if len(blocks) < 6 {
		t.Fatalf("the guides have %d commands, want at least 6", len(blocks))
	}
	for _, block := range blocks {
		command, want, _ := strings.Cut(block, "\n")
		want, _, _ = strings.Cut(want, "```")
		args := strings.Fields(strings.NewReplacer("docs/examples/costing/", costExamples, "my-shop.yaml", edited).Replace(command))
		var out, errs bytes.Buffer
		cli.Main(t.Context(), args, &out, &errs)
		got := strings.ReplaceAll(out.String(), costExamples, "docs/examples/costing/")
		// The paths of the test are longer than those of the guide, and so is their column.
		if diff := cmp.Diff(columns.ReplaceAllString(want, "  "), columns.ReplaceAllString(got, "  ")); diff != "" || errs.Len() > 0 {
			t.Errorf("printmarket %s (-guide +printed): %s\n%s", command, errs.String(), diff)
		}
	}
}

func TestCostingExitCodesDistinguishErrorsAndReviews(t *testing.T) {
	t.Parallel()
	flyer := costExamples + "flyer.json"
	for name, test := range map[string]struct {
		args         []string
		code         int
		stdout, errs string
	}{
		"figures that are safe to quote": {[]string{"calculate", flyer, "--masterdata", costPrinter}, 0, "104.98 EUR", ""},
		"a quantity above the limit of the policy": {
			[]string{"calculate", flyer, "--masterdata", costPrinter, "--quantity", "1000000"}, 2, "QUANTITY_ABOVE_LIMIT", "",
		},
		"a binding that is not supported": {
			[]string{"explain", editedExample(t, "book.json", `"SoftCover"`, `"HardCover"`), "--masterdata", costPrinter}, 2, "There are no figures.", "",
		},
		"a medium that the master data lacks": {
			[]string{"explain", editedExample(t, "flyer.json", "gloss-135", "gloss-999"), "--masterdata", costPrinter}, 1, "", `no medium "gloss-999"`,
		},
		"a quantity of zero":           {[]string{"calculate", flyer, "--masterdata", costPrinter, "--quantity", "0"}, 1, "", "quantities"},
		"master data of another level": {[]string{"calculate", flyer, "--masterdata", demoMasterData + "catalog.yaml"}, 1, "", "another level"},
		"a document without a product": {[]string{"calculate", editedExample(t, "flyer.json", `"Product": [`, `"Produkt": [`), "--masterdata", costPrinter}, 1, "", "ProductList has no Product"},
		"one request and one set":      {[]string{"compare", flyer, "--masterdata", costPrinter}, 1, "", "nothing to compare"},
		"equal costs":                  {[]string{"compare", flyer, flyer, "--masterdata", costPrinter, "--exit-code"}, 0, "0.00 EUR", ""},
		"different costs": {
			[]string{"compare", flyer, "--masterdata", costPrinter, "--with", costExamples + "printer-2027.yaml", "--exit-code"}, 2, "+2.99 EUR", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, errs, code := cost(t, test.args...)
			if code != test.code || !strings.Contains(out, test.stdout) || !strings.Contains(errs, test.errs) {
				t.Errorf("exit %d, printed %q and %q; want exit %d, %q and %q", code, out, errs, test.code, test.stdout, test.errs)
			}
		})
	}
}

func TestTheBodyOfTheCostingAPIIsARequest(t *testing.T) {
	t.Parallel()
	preview := editedExample(t, "flyer.json", "{", `{"executionMode":"preview","xjdf":{`)
	text, err := os.ReadFile(preview)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	if err := os.WriteFile(preview, append(text, '}'), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	out, errs, code := cost(t, "calculate", preview, "--masterdata", costPrinter, "-o", "json")
	var got struct {
		Result struct {
			Mode   string
			Breaks []struct{ Quantity int }
		}
		Reasons []struct{ Code string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || code != 2 {
		t.Fatalf("exit %d, %v: %s", code, err, errs)
	}
	if got.Result.Mode != "preview" || len(got.Result.Breaks) != 1 || len(got.Reasons) != 1 || got.Reasons[0].Code != "PREVIEW" {
		t.Errorf("printed %+v, want a preview of one quantity with the reason PREVIEW", got)
	}
	unknown := editedExample(t, "flyer.json", "{", `{"price":1,"xjdf":{}, "x":{`)
	text, err = os.ReadFile(unknown)
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	if err := os.WriteFile(unknown, append(text, '}'), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	if _, errs, code := cost(t, "calculate", unknown, "--masterdata", costPrinter); code != 1 || !strings.Contains(errs, "unknown field") {
		t.Errorf("a request with an unknown member: exit %d, %q; want 1 and the name of the member", code, errs)
	}
}

func TestAPreflightReportGivesTheInk(t *testing.T) {
	t.Parallel()
	// Without an output profile, the ink of page 2 is an estimate. A page uses a colour space.
	estimate := func(space string, page int) func(*report.Report) {
		return func(r *report.Report) {
			r.Pages[1].Ink.Estimated = true
			r.Colors = []report.Color{{Space: space, Pages: []int{page}}}
		}
	}
	for name, test := range map[string]struct {
		change       func(*report.Report)
		code         int
		stdout, errs string
	}{
		// 2589 passes x 4 pieces x 154 x 216 mm2 x 50 % x 1.5 g/m2 are 0.2584 kg.
		"two measured pages":   {func(*report.Report) {}, 0, "0.2584", ""},
		"an estimate of RGB":   {estimate("DeviceRGB", 2), 1, "", "the ink of page 2 is an estimate, because the file has no output profile for DeviceRGB; add an output intent"},
		"RGB on another page":  {estimate("DeviceRGB", 1), 0, "0.2584", ""},
		"inks without profile": {estimate("DeviceCMYK", 2), 0, "0.2584", ""},
		"transparent inks": {
			func(r *report.Report) { estimate("DeviceCMYK", 2)(r); r.Pages[1].Transparent = true }, 1, "", "no output profile for transparency",
		},
		"no ink":               {func(r *report.Report) { r.Pages[0].Ink = nil }, 1, "", "page 1 was not measured completely"},
		"an incomplete report": {func(r *report.Report) { r.Complete = false }, 1, "", "incomplete"},
		"one page of two":      {func(r *report.Report) { r.Pages = r.Pages[:1] }, 2, "COVERAGE_UNKNOWN", ""},
		"a negative coverage":  {func(r *report.Report) { r.Pages[0].Ink.Planes[0].Coverage = -1 }, 2, "COVERAGE_UNKNOWN", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := report.Report{Version: report.Version, Verdict: "pass", Complete: true}
			for range 2 {
				ink := &report.PageInk{Complete: true}
				for _, plane := range []string{"Cyan", "Magenta", "Yellow", "Black"} {
					ink.Planes = append(ink.Planes, report.InkPlane{Name: plane, Coverage: 50, Highest: 100})
				}
				r.Pages = append(r.Pages, report.Page{Ink: ink})
			}
			test.change(&r)
			text, err := report.Encode(r)
			if err != nil {
				t.Fatalf("report.Encode: %v", err)
			}
			file := filepath.Join(t.TempDir(), "report.json")
			if err := os.WriteFile(file, text, 0o600); err != nil {
				t.Fatalf("os.WriteFile: %v", err)
			}
			out, errs, code := cost(t, "explain", costExamples+"flyer.json", "--masterdata", costPrinter, "--preflight", file)
			if code != test.code || !strings.Contains(out, test.stdout) || !strings.Contains(errs, test.errs) {
				t.Errorf("exit %d, printed %q and %q; want exit %d, %q and %q", code, out, errs, test.code, test.stdout, test.errs)
			}
		})
	}
}
