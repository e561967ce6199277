// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/pkg/preflight/profile"
)

// flawed returns a PDF whose fonts are not embedded.
func flawed(t *testing.T) []byte {
	t.Helper()
	for _, flaw := range pdftest.Flaws() {
		if flaw.Rule == "font.not_embedded" {
			return flaw.Breaks()
		}
	}
	t.Fatal("no flaw of font.not_embedded")
	return nil
}

// preflightResult holds the output and the exit code of a command.
type preflightResult struct {
	out, err string
	code     int
}

// preflight runs the command in a directory with the files good.pdf, which
// passes, and flawed.pdf, which fails.
func preflight(t *testing.T, args ...string) (preflightResult, string) {
	t.Helper()
	return preflightWith(t, nil, args...)
}

// preflightWith is preflight with more files.
func preflightWith(t *testing.T, files map[string][]byte, args ...string) (preflightResult, string) {
	t.Helper()
	dir := t.TempDir()
	all := map[string][]byte{"good.pdf": pdftest.Good(), "flawed.pdf": flawed(t), "note.txt": []byte("no PDF")}
	maps.Copy(all, files)
	for name, data := range all {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), append([]string{"preflight"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return preflightResult{out.String(), errs.String(), cmd.ProcessState.ExitCode()}, dir
}

func TestPreflightWritesReportsAndExitsWithTheWorstVerdict(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args string
		code int
		// begins and has are of standard output, err is of standard error.
		begins, has, err string
	}{
		"a good file":                           {"good.pdf", 0, "PASS", "profile   print_ready", ""},
		"a faulty file":                         {"flawed.pdf", 2, "FAIL", "\nerror ", ""},
		"a file that is no PDF":                 {"note.txt", 2, "FAIL", "file.not_pdf", ""},
		"another profile":                       {"good.pdf --profile structure_only", 0, "PASS", "profile   structure_only", ""},
		"JSON":                                  {"good.pdf -o json", 0, `{"reportVersion"`, `"verdict":"pass"`, ""},
		"a report in German":                    {"flawed.pdf --lang de", 2, "FEHLER", "Die Schrift Missing", ""},
		"JSON in German":                        {"flawed.pdf --lang de -o json", 2, `{"reportVersion":"1.1","language":"de"`, "Die Schrift Missing", ""},
		"a page in German":                      {"flawed.pdf --lang de -o html", 2, "<!doctype html>", `<html lang="de">`, ""},
		"comments in German":                    {"flawed.pdf --lang de -o xfdf", 2, "<?xml", "FEHLER: Die Schrift", ""},
		"rules in German":                       {"rules --lang de", 0, "RULE", "Schrift ist nicht eingebettet", ""},
		"an unknown language":                   {"good.pdf --lang fr", 1, "", "", "must be en or de"},
		"HTML":                                  {"flawed.pdf -o html", 2, "<!doctype html>", "</html>", ""},
		"HTML has the name of the file":         {"flawed.pdf -o html", 2, "<!doctype html>", "<h1>flawed.pdf</h1>", ""},
		"HTML shows pictures of the pages":      {"good.pdf -o html", 0, "<!doctype html>", `href="data:image/jpeg;base64,`, ""},
		"HTML of a file without pictures":       {"note.txt -o html", 2, "<!doctype html>", "<h1>note.txt</h1>", ""},
		"XFDF":                                  {"flawed.pdf -o xfdf", 2, "<?xml", "</xfdf>", ""},
		"an order that the file does not match": {"good.pdf --trim-size 50x50 --pages 9", 2, "FAIL", "ordered   50 x 50 mm, 9 pages", ""},
		"several files":                         {"good.pdf flawed.pdf", 2, "good.pdf\nPASS", "\n\nflawed.pdf\nFAIL", ""},
		"several files as JSON":                 {"good.pdf good.pdf -o json", 0, `{"reportVersion"`, "\n{\"reportVersion\"", ""},
		"one of several files is missing":       {"none.pdf flawed.pdf good.pdf", 1, "\nflawed.pdf\nFAIL", "\ngood.pdf\nPASS", "printmarket: none.pdf: open none.pdf"},
		"a missing file":                        {"none.pdf", 1, "", "", "printmarket: open none.pdf"},
		"a directory":                           {".", 1, "", "", "not a regular file"},
		"no file":                               {"", 1, "", "", "requires at least 1 arg"},
		"an unknown profile":                    {"good.pdf --profile glossy", 1, "", "", "glossy"},
		"a copy without an output file":         {"flawed.pdf -o pdf", 1, "", "", "requires --output-file"},
		"copies of two files":                   {"flawed.pdf good.pdf -o pdf -f both.pdf", 1, "", "", "supports one file only"},
		"an unknown output":                     {"good.pdf -o yaml", 1, "", "", "must be text, json, html, xfdf, pdf or pdf-report"},
		"HTML of several files":                 {"good.pdf flawed.pdf -o html", 1, "", "", "output html supports one file only"},
		"the report in place of the PDF":        {"good.pdf -f ./good.pdf", 1, "", "", "is the file to inspect"},
		"the list of profiles":                  {"profiles", 0, "PROFILE", "sheetfed_offset", ""},
		"the list of rules":                     {"rules --profile pdfx4", 0, "RULE", "document.not_pdfx4", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := preflight(t, strings.Fields(tc.args)...)
			if got.code != tc.code || !strings.HasPrefix(got.out, tc.begins) || !strings.Contains(got.out, tc.has) || !strings.Contains(got.err, tc.err) || tc.err == "" && got.err != "" {
				t.Errorf("exit code %d, standard error %q, standard output\n%s", got.code, got.err, got.out)
			}
			if tc.begins == "" && got.out != "" {
				t.Errorf("standard output %q", got.out)
			}
		})
	}
}

func TestPreflightWritesItsOutputFileForEveryVerdict(t *testing.T) {
	t.Parallel()
	got, dir := preflight(t, "flawed.pdf", "-o", "html", "--output-file", "report.html")
	text, err := os.ReadFile(filepath.Join(dir, "report.html"))
	if err != nil || got.code != 2 || got.out != "" || !bytes.HasPrefix(text, []byte("<!doctype html>")) {
		t.Errorf("exit code %d, standard output %q, %v, file\n%.200s", got.code, got.out, err, text)
	}
}

func TestPreflightWritesACopyWithComments(t *testing.T) {
	t.Parallel()
	got, dir := preflight(t, "flawed.pdf", "-o", "pdf", "-f", "copy.pdf")
	original, err := os.ReadFile(filepath.Join(dir, "flawed.pdf"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	made, err := os.ReadFile(filepath.Join(dir, "copy.pdf"))
	if err != nil || got.code != 2 {
		t.Fatalf("exit %d, %v: %s", got.code, err, got.err)
	}
	if !bytes.HasPrefix(made, original) || !bytes.Contains(made[len(original):], []byte("/Subtype /Text")) {
		t.Errorf("the copy does not begin with the original, or has no comment after it: %.300q", made[len(original):])
	}
	if got, dir = preflight(t, "note.txt", "-o", "pdf", "-f", "copy.pdf"); got.code != 1 || !strings.Contains(got.err, "cannot be opened as a PDF") {
		t.Errorf("not a PDF: exit code %d, want 1: %s", got.code, got.err)
	}
	if _, err := os.Stat(filepath.Join(dir, "copy.pdf")); err == nil {
		t.Error("a file that is not a PDF has a copy with comments")
	}
}

func TestPreflightWritesCommentsInALanguage(t *testing.T) {
	t.Parallel()
	got, dir := preflight(t, "flawed.pdf", "-o", "pdf", "-f", "copy.pdf", "--lang", "de")
	made, err := os.ReadFile(filepath.Join(dir, "copy.pdf"))
	if err != nil || got.code != 2 {
		t.Fatalf("exit %d, %v: %s", got.code, err, got.err)
	}
	var comment bytes.Buffer // in UTF-16, as hexadecimal digits
	for _, unit := range "FEHLER: Die Schrift " {
		fmt.Fprintf(&comment, "%04x", unit)
	}
	if !bytes.Contains(bytes.ToLower(made), comment.Bytes()) {
		t.Error("the copy has no comment in German")
	}
}

func TestPreflightListsEveryProfile(t *testing.T) {
	t.Parallel()
	got, _ := preflight(t, "profiles")
	for _, name := range profile.Names() {
		if !strings.Contains(got.out, "\n"+name+" ") {
			t.Errorf("the list does not contain %s:\n%s", name, got.out)
		}
	}
}

func TestPreflightUsesAProfileOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		return path
	}
	house := write("house.yaml", "name: house\nversion: '7'\nextends: print_ready\nrules:\n  box.bleed_short: {limit: 0.5 cm}\n  document.standards: {severity: off}\n")
	wrong := write("wrong.yml", "name: house\nversion: '7'\nextends: print_ready\nrules:\n  box.bleed_short:\n    limit: 5 miles\n")
	tests := map[string]struct {
		args []string
		code int
		want []string
	}{
		"the settings of the file apply":        {[]string{"good.pdf", "--profile", house, "-o", "json"}, 2, []string{`"name":"house"`, `"version":"7"`, `"rule":"box.bleed_short"`, `"value":5`}},
		"rules of the file are listed":          {[]string{"rules", "--profile", house}, 0, []string{"box.bleed_short", ">= 5 mm ± 0.1"}},
		"a fault names file, line and field":    {[]string{"good.pdf", "--profile", wrong}, 1, []string{wrong + `: line 6: rules.box.bleed_short.limit: unknown unit "miles"; use cm, in, mm, pt`}},
		"a file that does not exist is missing": {[]string{"good.pdf", "--profile", filepath.Join(dir, "none.yaml")}, 1, []string{"no such file"}},
		"the schema lists every rule":           {[]string{"schema"}, 0, []string{`"box.bleed_short": {`, `"extends": {`}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := preflight(t, tc.args...)
			for _, want := range tc.want {
				if !strings.Contains(got.out+got.err, want) {
					t.Errorf("the output lacks %s:\n%s%s", want, got.out, got.err)
				}
			}
			if got.code != tc.code {
				t.Errorf("exit code %d, want %d", got.code, tc.code)
			}
		})
	}
}

func TestPreflightReadsTheOrderOfAnXJDFFile(t *testing.T) {
	t.Parallel()
	job := filepath.Join(t.TempDir(), "job.xml")
	const product = `<Product ID="%s" Amount="500"><Intent Name="LayoutIntent"><LayoutIntent FinishedDimensions="%s 0" Pages="%d"/></Intent>
<Intent Name="ColorIntent"><ColorIntent><SurfaceColor Surface="Front" ColorsUsed="Cyan Magenta Yellow Black"/></ColorIntent></Intent></Product>`
	text := fmt.Sprintf(`<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J" Types="Product"><ProductList>`+product+product+`</ProductList></XJDF>`,
		"P-1", "595.276 841.89", 1, "P-2", "419.528 595.276", 4)
	if err := os.WriteFile(job, []byte(text), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	tests := map[string]struct {
		args string
		code int
		want string
	}{
		"a file as ordered":                {"good.pdf --product P-1", 0, "ordered   210 x 297 mm, 1 page, CMYK, 500 copies"},
		"a file of another product":        {"good.pdf --product P-2", 2, "intent.page_count"},
		"a flag replaces a value":          {"good.pdf --product P-2 --pages 1 --trim-size 210x297", 0, "PASS"},
		"a flag adds a spot colour":        {"good.pdf --product P-1 --spot Gold", 0, "Gold was ordered but is not used"},
		"a word that a flag does not take": {"good.pdf --product P-1 --part back", 1, "must be cover or body"},
		"several products":                 {"good.pdf", 1, job + ": no such product: several products have a layout; choose one of P-1, P-2"},
		"a product that does not exist":    {"good.pdf --product P-3", 1, `"P-3"; choose one of P-1, P-2`},
		"a binding that pages do not fit":  {"good.pdf --product P-1 --binding SaddleStitch", 2, "intent.page_multiple"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := preflight(t, append(strings.Fields(tc.args), "--xjdf", job)...)
			if got.code != tc.code || !strings.Contains(got.out+got.err, tc.want) {
				t.Errorf("exit code %d, want %d with %q:\n%s%s", got.code, tc.code, tc.want, got.out, got.err)
			}
		})
	}
}

func TestPreflightComparesTwoVersionsOfAFile(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args string
		code int
		want []string
	}{
		"a file and itself":      {"good.pdf good.pdf", 0, []string{"SAME", "1 page"}},
		"two files":              {"good.pdf flawed.pdf", 1, []string{"DIFFERENT", "Missing (TrueType, not embedded)", "page 1", "at "}},
		"two files in German":    {"good.pdf flawed.pdf --lang de", 1, []string{"VERSCHIEDEN", "Seite 1"}},
		"two files as JSON":      {"good.pdf flawed.pdf -o json", 1, []string{`"comparisonVersion":"1.0"`, `"same":false`}},
		"a file that is no PDF":  {"good.pdf note.txt", 2, []string{"note.txt has no page that can be read"}},
		"a file that is missing": {"good.pdf none.pdf", 2, []string{"none.pdf"}},
		"one file":               {"good.pdf", 1, []string{"accepts 2 arg(s), received 1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, _ := preflight(t, append([]string{"compare"}, strings.Fields(tc.args)...)...)
			for _, want := range tc.want {
				if !strings.Contains(got.out+got.err, want) {
					t.Errorf("the output lacks %s:\n%s%s", want, got.out, got.err)
				}
			}
			if got.code != tc.code {
				t.Errorf("exit code %d, want %d", got.code, tc.code)
			}
		})
	}
}

func TestPreflightFixesAFile(t *testing.T) {
	t.Parallel()
	s := pdftest.NewSound()
	s.Catalog += " /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>"
	page := s.Page("", "")
	page.Trim, page.Bleed, page.Media = nil, nil, &pdftest.Box{0, 0, pdftest.MM(91), pdftest.MM(61)}
	page.Content = "1 0.2 0 0 k 0 0 300 300 re f\n"
	card := s.Bytes(page)
	tests := map[string]struct {
		args  string
		code  int
		want  []string
		fixed bool // the copy differs from the file
	}{
		"all fixes that are possible":    {"card.pdf -f fixed.pdf", 0, []string{"fixed    actions and bookmarks", "OpenAction: JavaScript -> none", "skipped  trim size from the order: the order has no trim size"}, true},
		"all fixes":                      {"card.pdf -f fixed.pdf --trim-size 85x55", 0, []string{"TrimBox: none -> 8.5 8.5 249.45 164.41", "BleedBox: none -> 0 0 257.95 172.91"}, true},
		"given fixes in German":          {"card.pdf -f fixed.pdf --fixes actions --lang de", 0, []string{"behoben        Aktionen und Lesezeichen", "Dokument  "}, true},
		"a given fix is not possible":    {"card.pdf -f fixed.pdf --fixes trim,actions", 1, []string{"skipped  trim size from the order", "nothing was fixed"}, false},
		"the list alone, as JSON":        {"card.pdf -o json", 0, []string{`"fixVersion":"1.0"`, `"fix":"actions"`}, false},
		"all fixes by name":              {"card.pdf -f fixed.pdf --fixes auto", 0, []string{"fixed    actions and bookmarks"}, true},
		"two fixes of the bleed":         {"card.pdf --fixes bleed,stretch", 1, []string{"--fixes: bleed and stretch make the same bleed in different ways: omit one of them"}, false},
		"all fixes, and one of them":     {"card.pdf --fixes auto,trim", 1, []string{"--fixes auto takes no other fix with it"}, false},
		"a file without a fault":         {"good.pdf -f fixed.pdf", 0, []string{"There is nothing to fix."}, false},
		"an unknown fix":                 {"card.pdf --fixes color", 1, []string{"fix color is unknown: must be auto, intent, layers, colors, black, white, hairlines, scale, trim, annotations, bleed, stretch, actions or attachments"}, false},
		"a file that is no PDF":          {"note.txt -f fixed.pdf", 1, []string{"skipped  all fixes: the file cannot be opened as a PDF", "nothing was fixed"}, false},
		"a given fix of no PDF":          {"note.txt -f fixed.pdf --fixes actions", 1, []string{"the file cannot be opened as a PDF"}, false},
		"the file itself as the copy":    {"card.pdf -f card.pdf", 1, []string{"is the file to inspect"}, false},
		"no file, and the flags of fix":  {"--fixes trim", 1, []string{"accepts 1 arg(s), received 0"}, false},
		"a profile that does not exist":  {"card.pdf --profile none", 1, []string{"none"}, false},
		"a trim size that is not a size": {"card.pdf --trim-size A6", 1, []string{"148x210"}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, dir := preflightWith(t, map[string][]byte{"card.pdf": card}, append([]string{"fix"}, strings.Fields(tc.args)...)...)
			for _, want := range tc.want {
				if !strings.Contains(got.out+got.err, want) {
					t.Errorf("the output lacks %s:\n%s%s", want, got.out, got.err)
				}
			}
			if got.code != tc.code {
				t.Errorf("exit code %d, want %d", got.code, tc.code)
			}
			written, err := os.ReadFile(filepath.Join(dir, "fixed.pdf"))
			if fixed := err == nil && len(written) > len(card) && bytes.HasPrefix(written, card); fixed != tc.fixed {
				t.Errorf("the copy of %d bytes is fixed: %t, want %t", len(written), fixed, tc.fixed)
			}
		})
	}
}

func TestPreflightWorksWithoutTheExecutableOfTheInspector(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	alone := filepath.Join(dir, "printmarket")
	if err := os.Link(filepath.Join(binaries, "printmarket"), alone); err != nil {
		t.Fatalf("os.Link: %v", err)
	}
	path := filepath.Join(dir, "good.pdf")
	if err := os.WriteFile(path, pdftest.Good(), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	if out, err := exec.CommandContext(t.Context(), alone, "preflight", path).CombinedOutput(); err != nil || !strings.HasPrefix(string(out), "PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}
