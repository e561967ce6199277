// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// sending describes one call: its operation, its expected status, and the generated function
// that sends it.
type sending struct {
	operation, route string
	// want is the status of success.
	want int
	// idempotencyKey is the key of a create.
	idempotencyKey string
	// token is the token of a session, for operations that do not accept a key.
	token string
	// transfer is the time for the body of a large request.
	transfer time.Duration
	// validator is the value of If-None-Match, or nil.
	validator *string
	send      func(context.Context) (*http.Response, error)
}

// do sends a call and decodes its response. It ignores unknown members. It returns the
// header of a success or of a 304.
func do[T any](ctx context.Context, c *Client, s sending) (T, http.Header, error) {
	var value T
	current := &call{operation: s.operation, route: s.route, token: s.token, transfer: s.transfer}
	failed := func(err error) (T, http.Header, error) {
		var none T
		return none, nil, &CallError{Operation: s.operation, Attempts: current.attempts, IdempotencyKey: s.idempotencyKey, Err: err}
	}
	answer, err := s.send(withCall(ctx, current))
	if err != nil {
		return failed(withoutAnswer(ctx, err))
	}
	defer closeBody(answer.Body)
	body, err := io.ReadAll(answer.Body) // from memory
	if err != nil {
		return failed(withoutAnswer(ctx, err))
	}
	switch {
	case answer.StatusCode == http.StatusNotModified && s.validator != nil:
		_, _, err = failed(ErrNotModified)
		return value, answer.Header, err
	case answer.StatusCode != s.want:
		return failed(refusal(answer.StatusCode, answer.Header, body, c.transport.now()))
	}
	if err := decode(answer, body, &value); err != nil {
		return failed(err)
	}
	return value, answer.Header, nil
}

// withoutAnswer returns the error of a call without a response.
func withoutAnswer(ctx context.Context, err error) error {
	var argument *ArgumentError
	var key *KeyError
	switch {
	case errors.As(err, &argument):
		return argument
	case errors.As(err, &key):
		return key
	case ctx.Err() != nil && !errors.Is(err, ctx.Err()):
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	case ctx.Err() != nil:
		return err
	default:
		return &TransportError{Err: err}
	}
}

// decode reads the body of a success.
func decode(answer *http.Response, body []byte, value any) error {
	if answer.StatusCode == http.StatusNoContent {
		return nil
	}
	media := mediaType(answer.Header)
	err := errors.New("not " + plainJSON)
	if media == plainJSON {
		err = json.Unmarshal(body, value)
	}
	if err != nil {
		return &AnswerError{
			Status: answer.StatusCode, MediaType: media, RequestID: answer.Header.Get("X-Request-Id"),
			Err: fmt.Errorf("read the answer: %w", err),
		}
	}
	return nil
}

// checkID validates an id for a path: an empty id would change the path.
func checkID(id string) error {
	const maxID = 128
	if strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return &ArgumentError{Argument: "id", Reason: "is not of letters, digits, _ and -"}
	}
	if id == "" || len(id) > maxID {
		return &ArgumentError{Argument: "id", Reason: fmt.Sprintf("is not of 1 to %d characters", maxID)}
	}
	return nil
}

// argumentFault returns the error of a call that is not sent.
func argumentFault(operation string, err error) error {
	return &CallError{Operation: operation, Err: err}
}
