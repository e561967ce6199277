// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
)

const contractsPath = "/contracts"

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
	// Viewer is the address of the contract viewer.
	Viewer string
}

// contractRow is one published contract.
type contractRow struct {
	Title, URL, Version, Status string
	Operations, Deprecated      int
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
	body := contractsBody{Viewer: s.APIURL + contracts.Viewer}
	for _, name := range contracts.Names() {
		info := s.Contracts.Info(name)
		body.Rows = append(body.Rows, contractRow{
			Title: info.Title, URL: s.APIURL + contracts.Prefix + string(name), Version: info.Version,
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
