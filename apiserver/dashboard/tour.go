// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"path/filepath"
	"strings"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/rfq"
)

const tourPath = "/tour"

// Tour configures the guided tour of a platform that runs on the visitor's machine.
type Tour struct {
	// Environment is the path of dev.env, Resources that of the directory of manifests.
	Environment, Resources string
	// Product and Category identify a product of the catalogue. File is the URL of a PDF.
	Product, Category, File string
}

// tourBody is the tour with the progress of the visitor.
type tourBody struct {
	APIURL string
	// Environment and Rollout are quoted for a shell.
	Environment, Rollout    string
	Product, Category, File string
	// SignedIn, Requested and Inspected report which steps are done. Killed reports whether
	// the kill switch of rfq-create is engaged now.
	SignedIn, Requested, Inspected, Killed bool
	Docs                                   bool
	// Operators reports whether there are pages for operators.
	Operators bool
}

// tourRoutes are the page of the tour, if there is one.
func (s *server) tourRoutes() []route {
	if s.Tour == nil {
		return nil
	}
	return []route{{pattern: tourPath, get: s.tour}}
}

// tour serves the guided tour, also to visitors who have not signed in.
func (s *server) tour(v *visit) response {
	body := tourBody{
		APIURL: s.APIURL, Environment: quoted(s.Tour.Environment),
		Rollout: quoted(filepath.Join(s.Tour.Resources, "rollouts", posture.RFQCreate.String()+".yaml")),
		Product: s.Tour.Product, Category: s.Tour.Category, File: s.Tour.File, Docs: s.Docs, Operators: s.Ops != nil,
	}
	if s.resumeIfAny(v) {
		if refused := s.limit(v, posture.SurfacePartner); refused != nil {
			return *refused
		}
		if err := s.addProgress(v, &body); err != nil {
			return failed(err)
		}
	}
	const title = "A tour in five steps"
	return show(pageTour, title, tourPage(title, body))
}

// addProgress finds out which steps the visitor has done.
func (s *server) addProgress(v *visit, body *tourBody) error {
	body.SignedIn = true
	body.Killed = v.Decide(posture.RFQCreate, true).Reason == posture.ReasonKilled
	if v.Decide(posture.RFQList, false).Allowed() {
		list, err := s.RFQs.List(v.Context(), v.caller.Tenant(), rfq.Page{Limit: 1})
		if err != nil {
			return err
		}
		body.Requested = len(list.Items) > 0
	}
	if v.Decide(posture.Preflight, false).Allowed() {
		list, err := s.Jobs.List(v.Context(), v.caller.Tenant(), preflightjob.Page{Limit: 1})
		if err != nil {
			return err
		}
		body.Inspected = len(list.Items) > 0
	}
	return nil
}

// quoted quotes a word for a POSIX shell, if the word needs quotes.
func quoted(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-", r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
