// SPDX-License-Identifier: Apache-2.0

package validate_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf"
	"github.com/printmarket/printmarket/pkg/xjdf/validate"
	"github.com/printmarket/printmarket/pkg/xjdf/vocabulary"
)

// schemaVariable names a schema file of XJDF 2.2. Its licence keeps it out of
// this repository, so the comparison is for those who have it.
const schemaVariable = "PRINTMARKET_XJDF_XSD"

// spoilt is a document and what has been done to it.
type spoilt struct {
	what, body string
	file       string
	// refused is what the schema says; empty if it accepts.
	refused string
}

func TestVerdictsDifferFromTheSchemaOnlyWhereListed(t *testing.T) {
	t.Parallel()
	schema := os.Getenv(schemaVariable)
	if schema == "" {
		t.Skipf("%s names no schema file of XJDF 2.2; its licence keeps it out of the repository", schemaVariable)
	}
	if _, err := exec.LookPath("xmllint"); err != nil {
		t.Skip("xmllint is not installed: apt-get install libxml2-utils")
	}
	documents := spoiltDocuments(documentCount())
	askSchema(t, schema, documents)
	v := validate.New()
	reasons := map[string]int{}
	for _, d := range documents {
		r := judge(t, v, d.body, validate.Strict, false)
		refused := slices.ContainsFunc(r.Findings, func(f validate.Finding) bool { return f.Severity == validate.Error && schemaFinds(f.Code) })
		if refused == (d.refused != "") {
			reasons["agree"]++
			continue
		}
		reason := reasonFor(d, r)
		reasons[reason]++
		if reason == "" && reasons[""] < 20 {
			t.Errorf("%s: schema: %q, here:\n%s\n%s", d.what, d.refused, say(r), d.body)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		t.Logf("%5d %s", reasons[reason], reason)
	}
}

// documentCount: a few thousand take some seconds; more are for a long evening.
func documentCount() uint64 {
	if count, err := strconv.ParseUint(os.Getenv("PRINTMARKET_XJDF_DOCUMENTS"), 10, 32); err == nil {
		return count
	}
	return 3000
}

// spoiltDocuments are good ones and, of each of many, one that something has been
// done to.
func spoiltDocuments(count uint64) []*spoilt {
	var all []*spoilt
	for _, body := range []string{flyer(), magazine(3), cards(2), ticket(2)} {
		all = append(all, &spoilt{what: "nothing", body: asItIs(tree(body))})
	}
	for seed := range count {
		random := rand.New(rand.NewPCG(seed, 3))
		var root *xjdf.Node
		switch seed % 8 {
		case 0:
			root = tree(flyer())
		case 1:
			root = tree(ticket(2))
		default:
			root = grow(seed)
		}
		what := "nothing"
		if seed%10 != 9 {
			what = spoil(root, random)
		}
		all = append(all, &spoilt{what: fmt.Sprintf("%d: %s", seed, what), body: asItIs(root)})
	}
	return all
}

func tree(body string) *xjdf.Node {
	doc, err := xjdf.Parse([]byte(body), xjdf.DefaultLimits)
	if err != nil {
		panic(err)
	}
	return doc.Root
}

// askSchema runs xmllint for many documents at a time, because each call reads the
// schema.
func askSchema(t *testing.T, schema string, documents []*spoilt) {
	t.Helper()
	folder := t.TempDir()
	for batch := range slices.Chunk(documents, 500) {
		command := []string{"--noout", "--schema", schema}
		byFile := map[string]*spoilt{}
		for i, d := range batch {
			d.file = filepath.Join(folder, fmt.Sprintf("%d.xjdf", i))
			if err := os.WriteFile(d.file, []byte(d.body), 0o600); err != nil {
				t.Fatalf("os.WriteFile(%q): %v", d.file, err)
			}
			command = append(command, d.file)
			byFile[d.file] = d
		}
		out, _ := exec.CommandContext(t.Context(), "xmllint", command...).CombinedOutput() // it fails if one document does
		verdicts := 0
		for line := range strings.Lines(string(out)) {
			file, text, _ := strings.Cut(line, " ")
			switch d := byFile[strings.TrimRight(strings.SplitN(file, ":", 2)[0], ":")]; {
			case d == nil:
			case strings.TrimSpace(text) == "validates":
				verdicts++
			case strings.TrimSpace(text) == "fails to validate":
				verdicts++
				d.refused += "."
			default:
				d.refused += text
			}
		}
		if verdicts != len(batch) {
			t.Fatalf("%d verdicts on %d documents:\n%.2000s", verdicts, len(batch), out)
		}
	}
}

// reasonFor returns the reason why a verdict differs, or "" for an unknown one.
func reasonFor(d *spoilt, r validate.Report) string {
	if d.refused != "" {
		reason := ""
		for line := range strings.Lines(strings.TrimSuffix(d.refused, ".")) {
			if reason = reasonToAccept(line); reason == "" {
				return ""
			}
		}
		return reason
	}
	reason := ""
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Severity == validate.Error && schemaFinds(f.Code) {
			if reason = reasonToRefuse(f); reason == "" {
				return ""
			}
		}
	}
	return reason
}

func schemaFinds(code string) bool {
	return slices.ContainsFunc(validate.Rules(), func(r validate.Rule) bool { return r.Code == code && r.Schema })
}

// The verdicts of the schema on an attribute, a value or an element.
var (
	cutting          = regexp.MustCompile(`}(Cut|CutBlock|FileSpec)': This element is not expected. Expected is \( {[^}]*}(Cut|CutBlock|FileSpec) \)`)
	refusedAttribute = regexp.MustCompile(`}(\w+)', attribute '(\w+)': The attribute '\w+' is not allowed`)
	refusedValue     = regexp.MustCompile(`}(\w+)', attribute '(\w+)': .*(?:[Tt]he value )?'([^']*)' is not (?:an element of the set|a valid value|accepted by the pattern)`)
)

// reasonToAccept says why something is taken that the schema refuses.
func reasonToAccept(line string) string {
	v := vocabulary.Load()
	switch {
	case strings.Contains(line, "}Shelf': This element is not expected"), strings.Contains(line, "}Header': Element content is not allowed"):
		return "the text of the standard lets audits and headers be extended, the schema does not (3.2, 7.1.2)"
	case cutting.MatchString(line):
		return "the text of the standard has cuts, blocks and a file beside each other in CuttingParams, the schema one kind of them (6.25)"
	case strings.Contains(line, "'{https://example.org/shop}Shelf' is not allowed"):
		return "the text of the standard lets any element have foreign attributes, the schema not those that hold only text (3.5.1)"
	case strings.Contains(line, "}InsertSheet': This element is not expected"):
		return "the text of the standard has sheets in StackingParams, the schema not (6.84)"
	}
	if m := refusedAttribute.FindStringSubmatch(line); m != nil && v.Element(m[1]).Attribute(m[2]) != nil {
		return "the text of the standard has an attribute that the schema has not"
	}
	m := refusedValue.FindStringSubmatch(line)
	if m == nil || v.Element(m[1]).Attribute(m[2]) == nil {
		return ""
	}
	switch a := v.Element(m[1]).Attribute(m[2]); {
	case a.Values != nil && (a.Values.Has(m[3]) || !a.Values.Closed):
		return "the text of the standard has a value or a list that the schema has not"
	case a.Type.Whole():
		return "an integer of the standard may be larger than the schema lets it be, which is a warning here (A.1)"
	case a.Type == vocabulary.URL:
		return "the schema leaves to each reader what a URL is, and so is URL_FORM of another kind here"
	case a.Type == vocabulary.String:
		return "the text of the standard has a string where the schema has a token"
	default:
		return ""
	}
}

// reasonToRefuse says why something is refused that the schema takes.
func reasonToRefuse(f *validate.Finding) string {
	switch {
	case f.Code == "EXTENSION_MISPLACED":
		return "the schema lets all intents be extended, the text of the standard only what is around them (3.5.1)"
	case f.Code == "VALUE_ITEMS" && strings.Contains(f.Message, "at least 1"):
		return "a list of tokens has at least one (A.1), and the schema takes none"
	case f.Code == "VALUE_ITEMS" && strings.Contains(f.Message, "pairs"):
		return "a transfer function has pairs (A.1), and the schema takes any numbers"
	case strings.Contains(f.Message, `is "NaN"`):
		return "a text that is not a number is not a measure"
	case strings.Contains(f.Path, "/DCTParams/"):
		return "the text of the standard has numbers where the schema has a string (8.27.2)"
	case strings.Contains(f.Message, "which is no language"):
		return "a language begins with letters (RFC 3066), and xmllint takes digits"
	case strings.HasSuffix(f.Path, "@DensityStandard"), strings.HasSuffix(f.Path, "@TabSetCollationOrder"), strings.HasSuffix(f.Path, "@GluingProductionID"):
		return "the text of the standard has a token where the schema has a string or another list"
	default:
		return ""
	}
}
