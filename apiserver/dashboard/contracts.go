// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
	"github.com/printmarket/printmarket/docs"
)

const (
	contractsPath = "/contracts"
	// viewerPath is the path of the page with a contract; its files are beside it.
	viewerPath = contractsPath + "/viewer"
	// viewerPolicy allows this page to load the contract, and the pictures in the style sheet of Swagger UI.
	viewerPolicy = "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

// Contracts describes the contracts of the API. Package contracts implements it.
type Contracts interface {
	Info(name contracts.Name) contracts.Info
	Operations() []contracts.Operation
	InternalOperations() []contracts.Operation
	Lifecycle(op contracts.Operation) contracts.Lifecycle
	Sends(op contracts.Operation) contracts.Sends
}

// contractsBody is the list of published contracts and of deprecated operations.
type contractsBody struct {
	Rows []contractRow
	// Endings are the deprecated operations, in the order in which they end.
	Endings []deprecation
	// Sends is the address of the page of the API server, which sends requests. Shown reports whether
	// this build also has a page of its own.
	Sends string
	Shown bool
}

// contractRow is one published contract.
type contractRow struct {
	Title, File, URL, Version, Status string
	Operations, Deprecated            int
}

// deprecation is a deprecated operation.
type deprecation struct {
	Operation, Contract, Successor string
	// Since is when the deprecation begins, which may be in the future. The operation
	// may be removed at Until.
	Since, Until time.Time
	Gone         bool
}

// showContracts serves the public page of contracts.
func (s *server) showContracts(v *visit) response {
	s.resumeIfAny(v)
	body := contractsBody{Sends: s.APIURL + contracts.Viewer, Shown: contracts.HasViewer(docs.API)}
	for _, name := range contracts.Names() {
		info := s.Contracts.Info(name)
		body.Rows = append(body.Rows, contractRow{
			Title: info.Title, File: string(name), URL: s.APIURL + contracts.Prefix + string(name), Version: info.Version,
			Status: strings.ReplaceAll(cmp.Or(info.Status, "in force"), "-", " "),
		})
	}
	for _, op := range s.Contracts.Operations() {
		row := &body.Rows[slices.Index(contracts.Names(), op.Contract)]
		row.Operations++
		life := s.Contracts.Lifecycle(op)
		if life == (contracts.Lifecycle{}) {
			continue
		}
		row.Deprecated++
		body.Endings = append(body.Endings, deprecation{
			Operation: op.Method + " " + op.Path, Contract: row.Title, Successor: life.Successor,
			Since: life.Deprecated, Until: life.Sunset, Gone: !v.now.Before(life.Sunset),
		})
	}
	slices.SortStableFunc(body.Endings, func(a, b deprecation) int { return a.Until.Compare(b.Until) })
	return show(pageContracts, "Contracts", contractsPage(body))
}

// showContract serves the public page with a contract, which Swagger UI draws.
func (s *server) showContract(v *visit) response {
	s.resumeIfAny(v)
	titles := make([]string, len(contracts.Names()))
	for i, name := range contracts.Names() {
		titles[i] = s.Contracts.Info(name).Title
	}
	r := show(pageContract, "Contract", contractPage(titles, s.APIURL+contracts.Viewer))
	r.policy = viewerPolicy
	return r
}

// registerViewer serves the files of the page with a contract.
func registerViewer(mux *http.ServeMux) error {
	files := []string{"swagger-ui/dist/swagger-ui.css", "swagger-ui/viewer.css", "swagger-ui/dist/swagger-ui-bundle.js", "swagger-ui/samples.js", "swagger-ui/initializer.js"}
	for _, name := range contracts.Names() {
		files = append(files, string(name))
	}
	for _, name := range files {
		file, err := contracts.Published(docs.API, name)
		if err != nil {
			return fmt.Errorf("dashboard: %w", err)
		}
		mux.Handle(contractsPath+"/"+name, file)
	}
	return nil
}
