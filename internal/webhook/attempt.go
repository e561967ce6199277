// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/safehttp"
)

// AttemptLimit limits the duration of an attempt, from connecting to the end of the
// response. The creator of a [Poster] enforces it.
const AttemptLimit = 15 * time.Second

// maxAnswer limits how much of a response is read, in bytes.
const maxAnswer = 64 << 10

// Poster posts a body to a URL and returns the response. safehttp.Client implements it.
type Poster interface {
	Post(ctx context.Context, url string, header http.Header, body []byte, maxAnswer int64) (safehttp.Answer, error)
}

// Sender makes attempts. It is safe for concurrent use.
type Sender struct {
	Schedule Schedule
	Now      func() time.Time
}

// Send posts a claimed delivery to an endpoint, as currently declared, and evaluates
// the response. It returns [credential.ErrWebhookSecret] without sending anything, and the error of ctx
// if ctx ends the attempt; the outcome of the attempt is unknown then.
func (s Sender) Send(ctx context.Context, poster Poster, endpoint Endpoint, claim Claim) (Result, error) {
	body, began := Payload(claim.Owner, claim.Event), s.Now()
	header, err := Sign(endpoint.Secrets, claim.Event.ID, began, body)
	if err != nil {
		return Result{}, err
	}
	header.Set("Content-Type", "application/json")
	answer, err := poster.Post(ctx, endpoint.URL, header, body, maxAnswer)
	if err != nil && ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	return s.judge(claim, began, answer, err), nil
}

// judge returns the result to record for an attempt.
func (s Sender) judge(claim Claim, began time.Time, answer safehttp.Answer, err error) Result {
	ended := s.Now()
	result := Result{Claim: claim, State: Delivered, EndedAt: whole(ended), Attempt: Attempt{
		Number: claim.Attempts + 1, At: whole(began), Took: ended.Sub(began),
		Status: answer.Status, Fault: faultOf(answer.Status, err), Excerpt: excerpt(answer.Body),
	}}
	if result.Attempt.Fault == NoFault {
		return result
	}
	wait, more := s.Schedule.After(claim.Tries+1, ParseRetryAfter(answer.RetryAfter, ended))
	if !more {
		result.State = Exhausted
		return result
	}
	result.State, result.DueAt, result.EndedAt = Pending, whole(ended.Add(wait)), time.Time{}
	return result
}

// faultOf returns why an attempt failed.
func faultOf(status int, err error) Fault {
	switch {
	case errors.Is(err, safehttp.ErrRefused):
		return FaultRefused
	case errors.Is(err, safehttp.ErrTimeout):
		return FaultTimeout
	case errors.Is(err, safehttp.ErrCertificate):
		return FaultCertificate
	case err != nil:
		return FaultConnection
	case status >= 200 && status < 300:
		return NoFault
	case status >= 300 && status < 400:
		return FaultRedirect
	case status == http.StatusGone:
		return FaultGone
	default:
		return FaultStatus
	}
}

// excerpt returns the beginning of a body as one line of text that is safe to display.
func excerpt(body []byte) string {
	// A rune that is cut in two is invalid UTF-8 and becomes a replacement of three
	// bytes.
	text := strings.ToValidUTF8(string(body[:min(len(body), MaxExcerpt)]), string(utf8.RuneError))
	text = strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf):
			return -1
		default:
			return r
		}
	}, text))
	for len(text) > MaxExcerpt {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}

// whole truncates a time to the stored resolution, milliseconds.
func whole(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
