// SPDX-License-Identifier: Apache-2.0

package webhooksapi

import (
	"errors"

	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/webhook"
)

// ProblemOf is the one place where errors of package webhook become answers, also
// those of the platform API. Other errors, and nil, stay as they are.
func ProblemOf(err error) error {
	var malformed *webhook.InvalidError
	var closed *webhook.ClosedError
	switch {
	case errors.As(err, &malformed):
		return invalid(problem.Violation{Pointer: "#/" + malformed.Member, Detail: malformed.Detail})
	case errors.As(err, &closed):
		return problem.New(problem.CodeWebhookStateConflict, "Nothing is sent to the endpoint: %s.", closed.Why)
	}
	// No operation here is counted, so the code of a quota is never used.
	if p := respond.StoreProblem(err, problem.CodeInternalError); p != nil {
		return p
	}
	return err
}

func invalid(violations ...problem.Violation) error {
	return problem.New(problem.CodeWebhookInvalid, "The request is not valid.").Violates(violations...)
}
