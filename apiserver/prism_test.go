// SPDX-License-Identifier: Apache-2.0

package apiserver_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/test/apitest"
	"github.com/printmarket/printmarket/test/programs"
)

// prism compares responses with their contracts by the validators of Stoplight Prism, which
// share no code with the server or with the other tests.
type prism struct {
	requests *json.Encoder
	verdicts *bufio.Reader
	judged   int
}

// startPrism starts the program that judges the responses. The program ends with the test.
func startPrism(t *testing.T) *prism {
	t.Helper()
	arguments := []string{"testdata/prism.js"}
	for _, name := range contracts.All() {
		arguments = append(arguments, filepath.Join("..", "docs", name.Path()))
	}
	program := exec.CommandContext(t.Context(), "node", arguments...)
	program.Env = append(os.Environ(), "NODE_PATH="+programs.NPM(t))
	program.Stderr = t.Output()
	input, err := program.StdinPipe()
	must(t, err)
	output, err := program.StdoutPipe()
	must(t, err)
	must(t, program.Start())
	t.Cleanup(func() {
		if err := input.Close(); err != nil {
			t.Errorf("close the input of Prism: %v", err)
		}
		if err := program.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("Prism: %v", err)
		}
	})
	return &prism{requests: json.NewEncoder(input), verdicts: bufio.NewReader(output)}
}

// judge reports every difference between a response and its operation in the contract. A
// response to HEAD has no body, and a path or method outside the contracts no operation.
func (p *prism) judge(t testing.TB, server *apitest.Server, r *http.Request, a apitest.Answer) {
	t.Helper()
	op, ok := server.Operation(r.Method, r.URL.EscapedPath())
	if !ok || r.Method == http.MethodHead || a.Status == http.StatusMethodNotAllowed {
		return
	}
	for _, violation := range p.violations(t, op, a) {
		t.Errorf("Prism: %s (status %d, body %.600s)", violation, a.Status, a.Body)
	}
	p.judged++
}

// violations returns the differences between a response and its operation.
func (p *prism) violations(t testing.TB, op contracts.Operation, a apitest.Answer) (found []string) {
	t.Helper()
	headers := map[string]string{}
	for name, values := range a.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	must(t, p.requests.Encode(map[string]any{
		"operation": op.Method + " " + op.Path, "status": a.Status, "headers": headers, "body": string(a.Body),
	}))
	line, err := p.verdicts.ReadBytes('\n')
	if err != nil && err != io.EOF {
		t.Fatalf("read the verdict of Prism: %v", err)
	}
	var all []struct {
		Path    []string
		Message string
	}
	must(t, json.Unmarshal(line, &all))
	for _, v := range all {
		found = append(found, strings.TrimPrefix(strings.Join(v.Path, ".")+": "+v.Message, ": "))
	}
	return found
}

func TestPrismReportsResponsesOutsideTheContract(t *testing.T) {
	t.Parallel()
	server := apitest.New(t, apitest.Options{})
	independent := startPrism(t)
	list := apitest.Request{Method: http.MethodGet, Path: "/api/v1/rfq", Key: "acme-live"}
	op, _ := server.Operation(list.Method, list.Path)
	for sentence, tc := range map[string]struct {
		change func(*apitest.Answer)
		want   string
	}{
		"as the server sent it":    {func(*apitest.Answer) {}, ""},
		"an unknown status":        {func(a *apitest.Answer) { a.Status = 299 }, "Unable to match the returned status code"},
		"a missing header":         {func(a *apitest.Answer) { a.Header.Del("Vary") }, "vary"},
		"a member of another type": {func(a *apitest.Answer) { a.Body = []byte(`{"items":[],"nextCursor":5}`) }, "nextCursor must be"},
		"another media type":       {func(a *apitest.Answer) { a.Header.Set("Content-Type", "text/csv") }, "media type"},
	} {
		answer := server.Do(t, list)
		tc.change(&answer)
		got := strings.Join(independent.violations(t, op, answer), "; ")
		if !strings.Contains(got, tc.want) || tc.want == "" && got != "" {
			t.Errorf("%s: violations %q, want %q", sentence, got, tc.want)
		}
	}
}
