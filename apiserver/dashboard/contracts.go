// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/contracts"
)

const contractsPath = "/contracts"

// Contracts is what is needed of package contracts.
type Contracts interface {
	Info(name contracts.Name) contracts.Info
	Operations() []contracts.Operation
	Lifecycle(op contracts.Operation) contracts.Lifecycle
}

// contractsBody is what partners were promised, and what of it ends.
type contractsBody struct {
	Rows []contractRow
	// Endings are the operations that are deprecated, those that end first at the
	// beginning.
	Endings []sunset
	// Viewer is where contracts can be read and tried.
	Viewer string
}

// contractRow is one published contract.
type contractRow struct {
	Title, URL, Version, Status string
	Operations, Deprecated      int
}

// sunset is an operation that ends.
type sunset struct {
	Operation, Contract, Successor string
	// Since is when it is deprecated, which may be to come, Until when it may be gone.
	Since, Until instant
	Gone         bool
}

// showContracts serves the public page of contracts.
func (b *board) showContracts(v *visit) answer {
	// Who has signed in keeps the links to their own pages.
	if v.snapshot != nil {
		b.resume(v)
	}
	body := contractsBody{Viewer: b.APIURL + contracts.Viewer, Endings: b.endings(v.now)}
	operations := b.Contracts.Operations()
	for _, name := range contracts.Names() {
		info := b.Contracts.Info(name)
		row := contractRow{
			Title: info.Title, URL: b.APIURL + contracts.Prefix + string(name), Version: info.Version,
			Status: strings.ReplaceAll(cmp.Or(info.Status, "in force"), "-", " "),
		}
		for _, op := range operations {
			if op.Contract != name {
				continue
			}
			row.Operations++
			if b.Contracts.Lifecycle(op) != (contracts.Lifecycle{}) {
				row.Deprecated++
			}
		}
		body.Rows = append(body.Rows, row)
	}
	return answer{status: http.StatusOK, page: pageContracts, title: "Contracts", content: contractsPage(body)}
}

func (b *board) endings(now time.Time) (all []sunset) {
	for _, op := range b.Contracts.Operations() {
		life := b.Contracts.Lifecycle(op)
		if life == (contracts.Lifecycle{}) {
			continue
		}
		all = append(all, sunset{
			Operation: op.Method + " " + op.Path, Contract: b.Contracts.Info(op.Contract).Title, Successor: life.Successor,
			Since: instant(life.Deprecated), Until: instant(life.Sunset), Gone: !now.Before(life.Sunset),
		})
	}
	slices.SortStableFunc(all, func(a, b sunset) int { return time.Time(a.Until).Compare(time.Time(b.Until)) })
	return all
}
