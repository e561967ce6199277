// SPDX-License-Identifier: Apache-2.0

package apitest

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/printmarket/printmarket/apiserver/contracts"
)

// surfaces maps a contract to the package below apiserver that serves its operations.
var surfaces = map[contracts.Name]string{
	contracts.Partner: "partnerapi", contracts.Preflight: "preflightapi", contracts.XJDF: "xjdfapi",
	contracts.Platform: "platformapi", contracts.Bridge: "bridgeapi", contracts.Webhooks: "webhooksapi",
}

// succeeded holds the operations that have returned a success in this process.
var succeeded sync.Map

// record stores the operation of a successful response.
func (w *Server) record(in Request, status int) {
	if status < http.StatusOK || status >= http.StatusMultipleChoices || in.Method == http.MethodHead {
		return
	}
	if op, known := w.Operation(in.Method, in.Path); known {
		succeeded.Store(op, true)
	}
}

// Main runs the tests of a package below apiserver. After a complete run it fails if an
// operation of the package has never returned a success that its contract documents:
//
//	func TestMain(m *testing.M) { os.Exit(apitest.Main(m, "partnerapi")) }
func Main(m *testing.M, surface string) int {
	code := m.Run()
	if code != 0 || partial() {
		return code
	}
	set, err := published()
	if err != nil {
		fmt.Fprintln(os.Stderr, "apitest:", err)
		return 1
	}
	missing := uncovered(set, surface, func(op contracts.Operation) bool { _, ok := succeeded.Load(op); return ok })
	for _, op := range missing {
		fmt.Fprintf(os.Stderr, "apitest: no test of %s gets a success from %s %s of %s; add one that calls Server.Do\n", surface, op.Method, op.Path, op.Contract)
	}
	return min(len(missing), 1)
}

// partial reports whether flags exclude tests.
func partial() bool {
	return slices.ContainsFunc([]string{"test.run", "test.skip", "test.list", "test.fuzz"}, func(name string) bool {
		f := flag.Lookup(name)
		return f != nil && f.Value.String() != ""
	})
}

// uncovered returns the operations of a surface that document a success and have returned
// none.
func uncovered(set *contracts.Set, surface string, covered func(contracts.Operation) bool) []contracts.Operation {
	operations := slices.Concat(set.Operations(), set.InternalOperations())
	slices.SortFunc(operations, func(a, b contracts.Operation) int {
		return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
	})
	return slices.DeleteFunc(operations, func(op contracts.Operation) bool {
		return surfaces[op.Contract] != surface || covered(op) || !promisesSuccess(set, op)
	})
}

func promisesSuccess(set *contracts.Set, op contracts.Operation) bool {
	for status := http.StatusOK; status < http.StatusMultipleChoices; status++ {
		if _, err := set.Answer(op, status); err == nil {
			return true
		}
	}
	return false
}
