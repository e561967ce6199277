// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"encoding/hex"
	"io"
	"net/http"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/preflightapi"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/problem"
)

// uploadBody is the form that submits a file.
type uploadBody struct {
	// Missing explains why there is no form; empty if there is one.
	Missing string
	// Token is the token of this form.
	Token    string
	Profiles []preflightapi.ProfileSummary
	// MayReadRFQs reports whether the order may name an RFQ.
	MayReadRFQs bool
}

// firstProfile is the profile that a form selects.
const firstProfile = "print_ready"

// uploadForm makes the form of a caller, or the reason why the caller may not submit files.
func (s *server) uploadForm(v *visit) (uploadBody, error) {
	if decision := v.Decide(posture.Preflight, true); !decision.Allowed() {
		return uploadBody{Missing: v.Refusal(decision).Detail}, nil
	}
	if s.Forms.Disabled() {
		return uploadBody{Missing: "This installation stores no files. Submit the URL of a file over the API."}, nil
	}
	profiles, err := s.Forms.Profiles(v.caller)
	if err != nil {
		return uploadBody{}, err
	}
	token := make([]byte, 16)
	if _, err := io.ReadFull(s.Random, token); err != nil {
		return uploadBody{}, err
	}
	return uploadBody{
		Token: hex.EncodeToString(token), Profiles: profiles,
		MayReadRFQs: v.snapshot.Standing(v.caller, posture.ScopeRFQRead, v.now).Allowed(),
	}, nil
}

// submitFile receives the form. The gate checks it like a request to the API, with the key of the
// session in place of a bearer token.
func (s *server) submitFile(v *visit) response {
	authenticate := func(*gate.Call) (posture.Caller, *problem.Problem) {
		again, found := s.again(v)
		if !found {
			return posture.Caller{}, problem.New(problem.CodeInvalidAPIKey, "Your session has ended. Sign in again.")
		}
		return again.caller, nil
	}
	return response{send: func(w http.ResponseWriter) *response {
		var made preflightjob.Job
		route := s.Forms.Route(jobsPath, authenticate, func(c *gate.Call) (err error) {
			made, err = s.Forms.Submit(c)
			return err
		})
		refusal := s.Gate.Pass(route, w, v.Request)
		w.Header().Set("Cache-Control", "no-store")
		if refusal == nil {
			return &response{location: jobPath(made.ID)}
		}
		page := problemPage(refusal)
		page.page, page.content = pageJob, refusedFile(page.title, refusal)
		return &page
	}}
}

// memberNames are the names of the members of a submission in the form.
var memberNames = map[string]string{
	"#/profile": "Profile", "#/clientReference": "Your reference", "#/intent/trimSize/width": "Trim width", "#/intent/trimSize/height": "Trim height",
	"#/intent/trimSize": "Trim size", "#/intent/pages": "Pages", "#/intent/colors/process": "Process colours", "#/intent/colors": "Colours", "#/intent/colors/spots": "Spot colours",
	"#/intent/quantity": "Copies", "#/intent/rfqId": "RFQ", "#/intent": "Order",
}
