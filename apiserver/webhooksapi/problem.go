// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"errors"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/webhook"
)

// ProblemOf maps the errors of package webhook to problems, also for the platform API.
// Other errors and nil do not change.
func ProblemOf(err error) error {
	var malformed *webhook.InvalidError
	var closed *webhook.ClosedError
	switch {
	case errors.As(err, &malformed):
		return invalid(problem.Violation{Pointer: "#/" + malformed.Member, Detail: malformed.Detail})
	case errors.As(err, &closed):
		return problem.New(problem.CodeWebhookStateConflict, "The endpoint does not receive events: %s.", closed.Why)
	}
	// No operation here has a quota, so the code of quotas is never used.
	if p := respond.StoreProblem(err, problem.CodeInternalError); p != nil {
		return p
	}
	return err
}

func invalid(violations ...problem.Violation) error {
	return problem.New(problem.CodeWebhookInvalid, "The request is not valid.").Violates(violations...)
}
