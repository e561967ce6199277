// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/printmarket/printmarket/internal/cli"
	"github.com/printmarket/printmarket/pkg/xjdf/printtalk"
)

const (
	xjdfHead    = `<XJDF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2" JobID="J1" `
	validTicket = xjdfHead + `Types="Product"><ProductList><Product Amount="500" ProductType="Leaflet" ExternalID="E1"/></ProductList></XJDF>`
)

const (
	messageHead  = `<Header DeviceID="MIS" Time="2026-11-20T09:30:00Z" ID="`
	validMessage = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0" Version="2.2">` + messageHead + `H"/><CommandSubmitQueueEntry>` + messageHead + `M"/><QueueSubmissionParams URL="a.xjdf"/></CommandSubmitQueueEntry></XJMF>`
)

// zipOf returns a ZIP file.
func zipOf(t *testing.T, files map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range files {
		entry, err := w.Create(name)
		if err != nil {
			t.Fatalf("Create: %v", err)
		}
		if _, err := entry.Write([]byte(text)); err != nil {
			t.Fatalf("Write: %v", err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	return out.String()
}

// inquiry returns an RFQ in PrintTalk.
func inquiry(t *testing.T, city string) string {
	t.Helper()
	var out strings.Builder
	err := printtalk.NewRFQ(printtalk.Inquiry{
		ID: "PO-4711", Organization: "org_acme01", Title: "Spring flyers", ProductUID: "print:flyers:a5", Category: "commercial-print", ProductName: "Flyer A5",
		Quantity: 5000, DeliveryCity: city, CreatedAt: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), ResponseDeadline: time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC),
	}).Write(&out)
	if err != nil {
		t.Fatalf("Write: %v", err)
	}
	return out.String()
}

// xjdfFiles are good and hostile documents by the names of their files.
func xjdfFiles(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"good.xjdf":  validTicket,
		"good.json":  `{"Name": "XJDF", "Version": "2.2", "JobID": "J1", "Types": ["Product"], "ProductList": {"Product": [{"Amount": 500, "ProductType": "Leaflet", "ExternalID": "E1"}]}}`,
		"more.xjdf":  strings.Replace(validTicket, "500", "750", 1),
		"bad.xjdf":   strings.Replace(validTicket, "500", "0", 1),
		"chain.xjdf": xjdfHead + `Types="ConventionalPrinting Cutting Folding"><ResourceSet Name="NodeInfo" Usage="Input"/></XJDF>`,
		"later.xjdf": strings.Replace(strings.Replace(validTicket, "2.2", "2.3", 1), "Amount=", `Novel="1" Amount=`, 1),
		"order.ptk":  `<PrintTalk xmlns="http://www.printtalk.org/schema_20" Version="2.2"><Request><RFQ>` + strings.Replace(validTicket, "500", "0", 1) + `</RFQ></Request></PrintTalk>`,
		"status.ptk": `<PrintTalk xmlns="http://www.printtalk.org/schema_20" Version="2.2" timestamp="2026-11-20T12:00:00Z"><Header><From><Credential domain="CustomerID"><Identity>a</Identity></Credential></From>` +
			`<To><Credential domain="SupplierID"><Identity>b</Identity></Credential></To></Header><Request BusinessID="S1"><OrderStatusRequest Subscribed="false"><StatusRequest JobIDRef="J1"/></OrderStatusRequest></Request></PrintTalk>`,
		"inquiry.ptk":  inquiry(t, "Utrecht"),
		"homeless.ptk": inquiry(t, ""),
		"empty.ptk":    `<PrintTalk xmlns="http://www.printtalk.org/schema_20" Version="2.2"/>`,
		"broken.xjdf":  `<XJDF`,
		"deep.xjdf":    strings.Repeat("<a>", 100_000),
		"deep.json":    strings.Repeat(`{"a":`, 100_000),
		"entity.xjdf":  `<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><XJDF>&b;</XJDF>`,
		"utf16.xjdf":   "\xff\xfe<\x00X\x00J\x00",
		"latin.xjdf":   "<XJDF DescriptiveName=\"Gr\xf6\xdfe\"/>",
		"many.json":    `{"Name":"XJDF","Comment":[` + strings.Repeat(`{"Text":"x"},`, 600_000) + `{}]}`,
		"long.xjdf":    validTicket + strings.Repeat(" ", 50<<20),
		"good.zip":     zipOf(t, map[string]string{"root.xjmf": validMessage, "a.xjdf": strings.Replace(validTicket, "</XJDF>", `<ResourceSet Name="RunList" Usage="Input"><Resource><RunList><FileSpec URL="pages.pdf"/></RunList></Resource></ResourceSet></XJDF>`, 1), "pages.pdf": "%PDF"}),
		"jobless.zip":  zipOf(t, map[string]string{"root.xjmf": validMessage, "b.xjdf": validTicket}),
		"good.xjmf":    validMessage,
		"twice.xjmf":   strings.Replace(validMessage, "</XJMF>", validMessage[strings.Index(validMessage, "<CommandSubmit"):], 1),
		"bad.xjmf":     strings.ReplaceAll(validMessage, "CommandSubmit", "CommandAccept"),
		"lacking.zip":  zipOf(t, map[string]string{"a.xjdf": strings.Replace(validTicket, "</XJDF>", `<ResourceSet Name="RunList" Usage="Input"><Resource><RunList><FileSpec URL="../pages.pdf"/></RunList></Resource></ResourceSet></XJDF>`, 1)}),
		"bomb.zip":     zipOf(t, map[string]string{"a.xjdf": strings.Repeat(" ", 100<<20)}),
		"leaving.zip":  zipOf(t, map[string]string{"../a.xjdf": validTicket}),
		"mime.package": "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: application/vnd.cip4-xjdf+xml\r\n\r\n" + validTicket + "\r\n--b--\r\n",
	}
}

func TestXJDFCommandsOnGoodAndHostileDocuments(t *testing.T) {
	t.Parallel()
	dir, files := t.TempDir(), xjdfFiles(t)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
	}
	for name, test := range map[string]struct {
		args string
		code int
		// has is of standard output, err of standard error.
		has, err string
	}{
		"a valid document":                   {"validate good.xjdf", 0, "good.xjdf: valid (xml, profile product-intent)\n", ""},
		"an invalid document":                {"validate bad.xjdf", 2, "error AMOUNT_NONPOSITIVE: Amount is 0.", ""},
		"a batch":                            {"validate good.xjdf good.json bad.xjdf", 2, "\n3 documents: 2 valid, 1 invalid; 0 files not read; 1 errors", ""},
		"a batch with a missing file":        {"validate none.xjdf bad.xjdf", 1, "1 invalid; 1 files not read", "none.xjdf"},
		"a directory":                        {"validate .", 1, "", ". is a directory"},
		"a batch as JSON":                    {"validate good.xjdf bad.xjdf -o json", 2, `"invalid": 1`, ""},
		"findings as SARIF":                  {"validate bad.xjdf -o sarif", 2, `"ruleId": "AMOUNT_NONPOSITIVE"`, ""},
		"SARIF without findings":             {"validate good.xjdf -o sarif", 0, `"results": []`, ""},
		"processes, leniently":               {"validate chain.xjdf", 0, "info GRAY_BOX: Folding, process 2 of Types, has no FoldingParams.", ""},
		"processes, as executed":             {"validate chain.xjdf --profile process", 2, "error GRAY_BOX: Folding", ""},
		"a product for a device":             {"validate good.xjdf --profile process", 2, "error PROFILE_PROCESS", ""},
		"a later version":                    {"validate later.xjdf", 0, "read as 2.2. Not understood: Product/@Novel.", ""},
		"a document in PrintTalk":            {"validate order.ptk --profile printtalk", 2, "XJDF/ProductList/Product/@Amount", ""},
		"PrintTalk with faults":              {"validate order.ptk --profile printtalk", 2, "order.ptk: invalid (xml, profile printtalk)\n  1:1 error PTK_ATTRIBUTE_MISSING: PrintTalk has no timestamp.", ""},
		"PrintTalk without an object":        {"validate empty.ptk --profile printtalk", 2, "PTK_ELEMENT_MISSING: PrintTalk has no Request.", ""},
		"PrintTalk without a document":       {"validate status.ptk --profile printtalk", 0, "status.ptk: valid (xml, profile printtalk)\n", ""},
		"PrintTalk as SARIF":                 {"validate empty.ptk --profile printtalk -o sarif", 2, `"id": "PTK_ELEMENT_MISSING"`, ""},
		"XJDF in the profile printtalk":      {"validate good.xjdf --profile printtalk", 0, "good.xjdf: valid (xml, profile product-intent)\n", ""},
		"PrintTalk as a product":             {"validate order.ptk", 2, "ROOT_UNKNOWN", ""},
		"a package":                          {"validate good.zip", 0, "good.zip a.xjdf: valid", ""},
		"a package with a message":           {"validate good.zip", 0, "good.zip root.xjmf: valid", ""},
		"a message without its job":          {"validate jobless.zip", 2, "1:229 error PACKAGE_JOB_MISSING: The package has no file \"a.xjdf\".", ""},
		"a message":                          {"validate good.xjmf", 0, "good.xjmf: valid", ""},
		"two messages with one ID":           {"validate twice.xjmf", 2, "error ID_DUPLICATE: Another message has the ID \"M\".", ""},
		"an unknown message":                 {"validate bad.xjmf", 2, "ELEMENT_MISSING: XJMF contains none of", ""},
		"a package without its file":         {"validate lacking.zip", 2, "PACKAGE_FILE_OUTSIDE", ""},
		"a MIME package":                     {"validate mime.package", 0, "mime.package part 1: valid", ""},
		"a ZIP bomb":                         {"validate bomb.zip", 1, "", "exceeds a limit"},
		"a package with a path outside":      {"validate leaving.zip", 1, "", "leaves the package"},
		"XML that is cut off":                {"validate broken.xjdf", 2, "DOCUMENT_UNREADABLE", ""},
		"XML that is too deep":               {"validate deep.xjdf", 2, "too deep", ""},
		"JSON that is too deep":              {"validate deep.json", 2, "too deep", ""},
		"entities that expand":               {"validate entity.xjdf", 2, "document type declaration", ""},
		"UTF-16":                             {"validate utf16.xjdf", 2, "utf16.xjdf: invalid (xml, profile product-intent)\n  1:1 error DOCUMENT_UNREADABLE: The document cannot be read: not UTF-8", ""},
		"Latin-1":                            {"validate latin.xjdf", 2, "not UTF-8", ""},
		"too many elements":                  {"validate many.json", 2, "too many elements", ""},
		"50 MB":                              {"validate long.xjdf", 2, "document too long", ""},
		"an unknown profile":                 {"validate good.xjdf --profile loose", 1, "", "must be product-intent, strict, process"},
		"standard input twice":               {"validate - -", 1, "", "only once"},
		"JSON of the standard":               {"convert good.xjdf", 0, "\"Types\": [\n", ""},
		"JSON with at signs":                 {"convert good.xjdf --to json-attributes", 0, `"@JobID": "J1"`, ""},
		"XML":                                {"convert good.json --to xml", 0, `<Product Amount="500"`, ""},
		"conversion of a broken document":    {"convert broken.xjdf", 1, "", "broken.xjdf: read XJDF: syntax error"},
		"conversion of a package":            {"convert good.zip", 1, "", "is a package"},
		"PrintTalk as an RFQ":                {"convert inquiry.ptk --to rfq", 0, `"catalogProductUid": "print:flyers:a5"`, ""},
		"an inquiry without a city":          {"convert homeless.ptk --to rfq", 1, "", "homeless.ptk: an RFQ needs the city of a Contact"},
		"a status request as an RFQ":         {"convert status.ptk --to rfq", 1, "", "the business object is not an RFQ"},
		"a job ticket as an RFQ":             {"convert good.xjdf --to rfq", 1, "", "good.xjdf: "},
		"conversion into itself":             {"convert good.xjdf -f good.xjdf", 1, "", "is the file to inspect"},
		"no difference":                      {"diff good.xjdf good.json", 0, "", ""},
		"a difference":                       {"diff good.json more.xjdf", 2, `changed XJDF/ProductList/Product/@Amount: "500" to "750"`, ""},
		"differences as JSON":                {"diff good.json more.xjdf -o json", 2, `"kind": "changed"`, ""},
		"no difference as JSON":              {"diff good.xjdf good.json -o json", 0, "[]\n", ""},
		"an explanation of a rule":           {"explain GRAY_BOX", 0, "in process: error", ""},
		"an explanation of a PrintTalk rule": {"explain PTK_SUM", 0, "in printtalk: warning", ""},
		"an explanation of an element":       {"explain MediaIntent", 0, "@Weight: float, in gsm", ""},
		"an explanation of an attribute":     {"explain DropItem/@ItemRef", 0, "IDREF, required, refers to Resource", ""},
		"an explanation of a process":        {"explain Folding -o json", 0, `"FoldingParams"`, ""},
		"an explanation of a list":           {"explain MediaType", 0, "Paper, Plate", ""},
		"an explanation of a profile":        {"explain mis-finishing", 0, "not checked: ", ""},
		"an explanation of PrintTalk":        {"explain printtalk", 0, "checked: Sums and unit prices", ""},
		"an explanation of the default":      {"explain product-intent", 0, "Missing items of the standard get defaults.", ""},
		"an explanation of a misspelt name":  {"explain MediaIntend", 1, "", "did you mean MediaIntent?"},
		"an XML Schema":                      {"schema --format xsd", 0, `<xs:complexType name="MediaIntent">`, ""},
		"a JSON Schema":                      {"schema", 0, `"$defs"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(test.args)
			for i, arg := range args {
				if _, known := files[arg]; known || strings.HasSuffix(arg, "none.xjdf") || arg == "." {
					args[i] = filepath.Join(dir, arg)
				}
			}
			var out, errs bytes.Buffer
			code := cli.Main(t.Context(), append([]string{"xjdf"}, args...), &out, &errs)
			text := strings.ReplaceAll(out.String(), dir+string(filepath.Separator), "")
			stderr := strings.ReplaceAll(errs.String(), dir, ".")
			if code != test.code || !strings.Contains(text, test.has) || !strings.Contains(stderr, test.err) || test.err == "" && stderr != "" {
				t.Errorf("exit code %d, standard error %q, standard output\n%.2000s", code, stderr, text)
			}
		})
	}
}

func TestXJDFValidateReadsStandardInputAndWritesAFile(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), filepath.Join(binaries, "printmarket"), "xjdf", "validate", "-", "-o", "json", "-f", "report.json")
	cmd.Dir = t.TempDir()
	cmd.Stdin = strings.NewReader(validTicket)
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(cmd.Dir, "report.json"))
	if err != nil {
		t.Fatalf("os.ReadFile: %v", err)
	}
	var report struct {
		Documents []struct{ File string }
		Summary   struct{ Valid int }
	}
	if err := json.Unmarshal(text, &report); err != nil || report.Summary.Valid != 1 || report.Documents[0].File != "-" {
		t.Errorf("%v\n%s", err, text)
	}
}
