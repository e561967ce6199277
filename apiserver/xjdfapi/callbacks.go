// SPDX-License-Identifier: Apache-2.0

package xjdfapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
	"github.com/printmarket/printmarket/internal/xjmf"
	"github.com/printmarket/printmarket/pkg/xjdf"
)

// Callbacks is the part of package xjmf that the surface uses.
type Callbacks interface {
	Receive(ctx context.Context, owner tenant.ID, sender string, body []byte) (xjmf.Receipt, error)
	// Reported lists what the callbacks of senders reported.
	Reported(ctx context.Context, query xjmf.StateQuery) ([]xjmf.State, error)
}

// CallbackMediaTypes lists the media types of messages (XJDF 2.2, section 9.10), and the generic
// types that the tools of senders use.
func CallbackMediaTypes() []string {
	return []string{"application/vnd.cip4-xjmf+json", "application/json", "application/vnd.cip4-xjmf+xml", "application/xml", "text/xml"}
}

// receive serves POST /api/v1/webhooks/xjmf. The answer is also XJMF.
func (s *surface) receive(c *gate.Call) error {
	// The gate has negotiated the media type of the answer.
	if strings.HasSuffix(c.ContentType, "xml") != xjdf.IsXML(c.Body) {
		return problem.New(problem.CodeValidationError, "The message is not well-formed.").Violates(problem.Violation{Pointer: wholeBody, Detail: "The body does not match the Content-Type " + c.ContentType + "."})
	}
	sender, _ := only(c.Request, senderField)
	receipt, err := s.Callbacks.Receive(c.Request.Context(), c.Tenant(), sender, c.Body)
	if err != nil {
		return refusal(err, strings.HasSuffix(c.ContentType, "xml"))
	}
	respond.Bytes(c.Writer, http.StatusOK, c.MediaType, receipt.Answer)
	return nil
}

// busyRetry is the suggested delay after a conflict with another callback of the same job.
const busyRetry = time.Second

// refusal maps an error of the receiver to a problem.
func refusal(err error, inXML bool) error {
	var unreadable *xjdf.Error
	var invalid *xjmf.InvalidError
	var outside *xjmf.HorizonError
	var unavailable *transaction.UnavailableError
	switch {
	case errors.As(err, &unreadable):
		reason := unreadable.Reason.Error()
		if unreadable.Detail != "" {
			reason += ", " + unreadable.Detail
		}
		detail := fmt.Sprintf("Line %d, column %d: %s.", unreadable.Line, unreadable.Column, reason)
		return problem.New(problem.CodeValidationError, "The message is not well-formed.").Violates(problem.Violation{Pointer: cmp.Or(unreadable.Pointer, wholeBody), Detail: detail})
	case errors.As(err, &invalid):
		violations := make([]problem.Violation, len(invalid.Violations))
		for i, v := range invalid.Violations {
			detail := v.Detail
			if v.Suggestion != "" {
				detail += "; " + v.Suggestion
			}
			violations[i] = violation(v.Place, detail, inXML)
		}
		return problem.New(problem.CodeValidationError, "The message failed validation.").Violates(violations...)
	case errors.As(err, &outside):
		code, detail := problem.MessageTooOld, "The time of the message is too long ago. Send a message with a current time."
		if outside.Ahead {
			code, detail = problem.MessageInFuture, "The time of the message is in the future. Check the sender's clock."
		}
		untimely := violation(outside.Place, detail, inXML)
		untimely.Code = code
		return problem.New(problem.CodeValidationError, "The message is too old, or its time is in the future.").Violates(untimely)
	case errors.Is(err, xjdf.ErrNoParseSlot):
		return problem.New(problem.CodeOverloaded, "The server is reading too many messages at once.").With(err).After(busyRetry)
	case errors.Is(err, xjmf.ErrConflict):
		return problem.New(problem.CodeXJMFMessageIDReused, "Another message of this sender has the same Header/@ID.")
	case errors.Is(err, transaction.ErrInProgress):
		return problem.New(problem.CodeStoreUnavailable, "Another message about the same job is being processed.").After(busyRetry)
	case errors.As(err, &unavailable):
		return problem.New(problem.CodeStoreUnavailable, "The database is unavailable. You can send the same message again safely.").With(err).After(storeRetry)
	default:
		return err
	}
}

// wholeBody is the pointer to the whole body.
const wholeBody = "#"

// violation returns a violation with a pointer into a JSON body. For XML the detail begins
// with the path in the notation of the standard.
func violation(at xjdf.Place, detail string, inXML bool) problem.Violation {
	if inXML {
		detail = at.XPath + ": " + detail
	}
	return problem.Violation{Pointer: cmp.Or(at.Pointer, wholeBody), Detail: detail}
}
