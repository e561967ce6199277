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

// AttemptLimit is how long an attempt may take, from dialling to the end of the
// answer. Who makes a [Poster] sees to it.
const AttemptLimit = 15 * time.Second

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// Poster sends a body to a URL and brings the answer: safehttp.Client.
type Poster interface {
	Post(ctx context.Context, url string, header http.Header, body []byte, maxAnswer int64) (safehttp.Answer, error)
}

// Sender makes attempts. It is safe for concurrent use.
type Sender struct {
	Schedule Schedule
	Now      func() time.Time
}

// Send posts a claimed delivery to an endpoint, as that is declared right now, and
// judges what comes of it. It fails with [ErrSecret] without having sent anything, and
// with ctx's error when that ends the attempt, about which nothing is known then.
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

// judge turns what came of an attempt into what is recorded.
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

// faultOf is why an attempt failed.
func faultOf(status int, err error) Fault {
	switch {
	case errors.Is(err, safehttp.ErrRefused):
		return FaultRefused
	case errors.Is(err, safehttp.ErrTimeout):
		return FaultTimeout
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

// excerpt is the beginning of a body as a line of text that changes nothing but
// itself where it is shown.
func excerpt(body []byte) string {
	// A rune that is cut in two is no UTF-8 and becomes one of three bytes.
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

// whole is an instant in the resolution that is stored.
func whole(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
