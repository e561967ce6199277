// SPDX-License-Identifier: Apache-2.0

package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
	"github.com/printmarket/printmarket/internal/demo"
	"github.com/printmarket/printmarket/pkg/preflight/pdftest"
	"github.com/printmarket/printmarket/test/programs"
)

// codeSample is one x-codeSamples entry of an operation.
type codeSample struct{ Operation, Lang, Source string }

// runtimes run a sample by language. The samples contain no types, so Node.js runs TypeScript
// as JavaScript.
var runtimes = map[string]struct {
	suffix  string
	command []string
}{
	"Shell":      {".sh", []string{"sh", "-e"}},
	"Go":         {".go", nil}, // built by goProgram
	"TypeScript": {".mjs", []string{"node"}},
	"Python":     {".py", []string{"python3"}},
}

// TestCodeSamplesOfContractsSucceed runs every sample of the contracts against the sandbox of a
// platform, in the order of the contracts: a sample uses the ids that earlier ones returned.
func TestCodeSamplesOfContractsSucceed(t *testing.T) {
	t.Parallel()
	p := startDev(t, t.TempDir())
	secret := "whsec_" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	if err := os.WriteFile(filepath.Join(p.env["RESOURCES_DIR"], "acme-events.yaml"), []byte(
		"apiVersion: v1\nkind: Secret\nmetadata: {name: acme-events}\nstringData: {signing: "+secret+"}\n"), 0o600); err != nil {
		t.Fatalf("os.WriteFile: %v", err)
	}
	p.declareAcme(t, "  webhooks:\n  - name: mis\n    kind: Test\n    url: https://mis.acme.example/events\n"+
		"    secrets: [{name: first, secretRef: {name: acme-events, key: signing}}]\n")
	p.until("the endpoint is known", func() error { return p.metric(`printmarket_webhook_breakers{state="closed"} 1`) })
	var samples []codeSample
	for _, name := range append(contracts.Names(), contracts.Registry, contracts.Webhooks) {
		samples = append(samples, codeSamples(t, name)...)
	}
	for lang := range runtimes {
		t.Run(lang, func(t *testing.T) {
			if lang == "TypeScript" {
				programs.NPM(t) // requires Node.js
			}
			p.runSamples(t, lang, samples)
		})
	}
}

// returned lists the members of responses that later samples use, as variables.
var returned = map[string]struct{ variable, member string }{
	"createRfq":           {"RFQ_ID", "id"},
	"submitPreflight":     {"JOB_ID", "jobId"},
	"createSession":       {"PRINTMARKET_SESSION_TOKEN", "token"},
	"uploadFile":          {"FILE_ID", "fileId"},
	"testWebhookEndpoint": {"DELIVERY_ID", "id"},
	"sharePreflight":      {"SHARE_ID", "shareId"},
}

// runSamples runs the samples in one language. Each must print a JSON object; the sample of an
// operation that returns nothing must print nothing.
func (p *platform) runSamples(t *testing.T, lang string, samples []codeSample) {
	t.Helper()
	environment := append(os.Environ(), "PRINTMARKET_API_KEY="+p.env["ACME_TEST_KEY"], "SINCE="+time.Now().UTC().Format(time.RFC3339))
	for name, value := range p.env {
		environment = append(environment, "PRINTMARKET_"+name+"="+value)
	}
	runtime, directory, ran := runtimes[lang], t.TempDir(), 0
	if err := demo.WriteSamples(directory); err != nil {
		t.Fatalf("demo.WriteSamples: %v", err)
	}
	if err := os.Rename(filepath.Join(directory, demo.SampleFile), filepath.Join(directory, "flyer.pdf")); err != nil {
		t.Fatalf("os.Rename: %v", err)
	}
	var goSamples, fixed string
	if lang == "Go" {
		goSamples = goProgram(t, samples)
	}
	for _, sample := range samples {
		if sample.Lang != lang {
			continue
		}
		ran++
		file := filepath.Join(directory, sample.Operation+runtime.suffix)
		if err := os.WriteFile(file, []byte(sample.Source), 0o600); err != nil {
			t.Fatalf("os.WriteFile: %v", err)
		}
		arguments := append(slices.Clone(runtime.command), file)
		if lang == "Go" {
			arguments = []string{goSamples, sample.Operation}
		}
		command := exec.CommandContext(t.Context(), arguments[0], arguments[1:]...)
		command.Env, command.Dir = slices.Clone(environment), directory
		if sample.Operation == "cancelPreflight" { // the other samples use a job that succeeds
			a := p.call(http.MethodPost, "/api/v1/preflight", "ACME_TEST_KEY", map[string]string{"fileUrl": "https://files.example.com/a.pdf", "profile": "sim:cancelled"})
			command.Env = append(command.Env, "JOB_ID="+a.text("jobId"))
		}
		switch sample.Operation { // of a job of a file, which is fixed, compared and annotated
		case "getPreflightFixes", "getFixedFile", "getAnnotatedFile", "getPreflightComparison", "listPagePictures", "getPagePicture":
			if fixed == "" {
				fixed = p.fixedJob(t)
			}
			command.Env = append(command.Env, "JOB_ID="+fixed)
		}
		var stderr strings.Builder
		command.Stderr = &stderr
		printed, err := command.Output()
		switch {
		case (sample.Operation == "deleteFile" || sample.Operation == "revokePreflightShare") && len(bytes.TrimSpace(printed)) == 0,
			sample.Operation == "getAnnotatedFile" && len(printed) == 0 && begins(t, filepath.Join(directory, "annotated.pdf"), "%PDF-"),
			sample.Operation == "getFixedFile" && len(printed) == 0 && begins(t, filepath.Join(directory, "fixed.pdf"), "%PDF-"),
			sample.Operation == "getPagePicture" && len(printed) == 0 && begins(t, filepath.Join(directory, "page.png"), "\x89PNG"),
			sample.Operation == "followPreflight" && bytes.Contains(printed, []byte("event: succeeded\n")):
			printed = []byte("{}")
		}
		var body map[string]any
		if invalid := json.Unmarshal(printed, &body); err != nil || invalid != nil {
			t.Errorf("%s: error %v, output is JSON: %v\n%s%s\n%s", sample.Operation, err, invalid == nil, printed, stderr.String(), sample.Source)
		}
		if result, found := returned[sample.Operation]; found {
			value, _ := body[result.member].(string)
			environment = append(environment, result.variable+"="+value)
		}
	}
	if ran*len(runtimes) != len(samples) {
		t.Errorf("%d of %d samples are in %s, want an equal number in each of %d languages", ran, len(samples), lang, len(runtimes))
	}
}

// begins reports whether a file begins with a text.
func begins(t *testing.T, path, text string) bool {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Errorf("os.ReadFile: %v", err)
	}
	return bytes.HasPrefix(data, []byte(text))
}

// fixedJob uploads a file with a script, and returns a job that fixed and annotated the file and compared
// it with itself.
func (p *platform) fixedJob(t *testing.T) string {
	t.Helper()
	const key = "ACME_TEST_KEY"
	scripted := pdftest.NewSound()
	scripted.Catalog += " /OpenAction << /S /JavaScript /JS (1) >>"
	file := scripted.Bytes(scripted.Page("", ""))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.env["API_URL"]+"/api/v1/files", bytes.NewReader(file))
	if err != nil {
		t.Fatalf("http.NewRequestWithContext: %v", err)
	}
	r.Header.Set("Authorization", "Bearer "+p.env[key])
	r.Header.Set("Content-Type", "application/pdf")
	submission := map[string]any{"fileId": p.send(r).text("fileId"), "profile": "print_ready"}
	first := p.call(http.MethodPost, "/api/v1/preflight", key, submission).text("jobId")
	p.finished(key, first)
	submission["fix"], submission["compareWith"], submission["annotate"] = "auto", first, "en"
	second := p.call(http.MethodPost, "/api/v1/preflight", key, submission).text("jobId")
	p.finished(key, second)
	return second
}

// goProgram builds one program of all samples in Go, which takes an operation as its argument: to
// link a program for each sample takes minutes.
func goProgram(t *testing.T, samples []codeSample) string {
	t.Helper()
	directory := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(directory, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			t.Fatalf("write %s: %v", name, err)
		}
	}
	var imports, cases strings.Builder
	for _, sample := range samples {
		if sample.Lang != "Go" {
			continue
		}
		text, named := strings.CutPrefix(sample.Source, "package main\n")
		before, after, found := strings.Cut(text, "\nfunc main() {")
		if !named || !found {
			t.Fatalf("the sample of %s is no program:\n%s", sample.Operation, sample.Source)
		}
		write(sample.Operation+"/sample.go", "package "+sample.Operation+"\n"+before+"\nfunc Main() {"+after)
		fmt.Fprintf(&imports, "import %q\n", "samples/"+sample.Operation)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", sample.Operation, sample.Operation)
	}
	write("go.mod", "module samples\n\ngo 1.26\n")
	write("main.go", "package main\n\nimport \"os\"\n"+imports.String()+"\nfunc main() {\n\tswitch os.Args[1] {\n"+cases.String()+"\t}\n}\n")
	program := filepath.Join(directory, "program")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".")
	command.Dir = directory
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// codeSamples returns the samples of a contract in its order. Each operation that can succeed
// must have one in each language.
func codeSamples(t *testing.T, name contracts.Name) (all []codeSample) {
	t.Helper()
	text, err := docs.API.ReadFile(name.Path())
	if err != nil {
		t.Fatalf("docs.API.ReadFile(%s): %v", name.Path(), err)
	}
	var contract struct{ Paths yaml.Node }
	if err := yaml.Unmarshal(text, &contract); err != nil {
		t.Fatalf("yaml.Unmarshal(%s): %v", name, err)
	}
	// The nodes of a mapping alternate between names and values.
	for path := 1; path < len(contract.Paths.Content); path += 2 {
		item := contract.Paths.Content[path]
		for method := 1; method < len(item.Content); method += 2 {
			if item.Content[method].Kind != yaml.MappingNode {
				continue
			}
			var operation struct {
				OperationID string       `yaml:"operationId"`
				Samples     []codeSample `yaml:"x-codeSamples"`
				Responses   map[string]any
			}
			if err := item.Content[method].Decode(&operation); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			succeeds := slices.ContainsFunc(slices.Collect(maps.Keys(operation.Responses)), func(status string) bool { return status[0] == '2' })
			if want := len(runtimes); succeeds && len(operation.Samples) != want {
				t.Errorf("%s of %s has %d samples, want %d", operation.OperationID, name, len(operation.Samples), want)
			}
			for _, sample := range operation.Samples {
				sample.Operation = operation.OperationID
				all = append(all, sample)
			}
		}
	}
	return all
}
