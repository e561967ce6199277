// SPDX-License-Identifier: Apache-2.0

package client

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"
)

// Problem is a response by which the API rejects a request (RFC 9457). Decide by Code;
// /docs/api/problem-codes.json of the API says what to do for each.
type Problem struct {
	// Type is the URI of the kind of problem, which resolves to its definition.
	Type  string
	Title string
	// Status is the status of the response.
	Status int
	Code   Code
	// Detail is a human-readable sentence.
	Detail string
	// RequestID names the request; quote it when you ask for help.
	RequestID string
	// Violations lists the faults of the body, up to a hundred.
	Violations []Violation
	// RetryAfter is the time after which to retry; zero if waiting does not help or the
	// time is unknown.
	RetryAfter time.Duration

	// members are all members of the response, for those that belong to one operation.
	members json.RawMessage
}

// Violation describes one fault of a body.
type Violation struct {
	// Pointer is the place, as a URI fragment (RFC 6901): #/quantity.
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// shownViolations bounds the violations in the text of an error.
const shownViolations = 3

func (p *Problem) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%d %s: %s", p.Status, brief(string(p.Code)), brief(p.Detail))
	for i, v := range p.Violations {
		if i == shownViolations {
			fmt.Fprintf(&text, "; and %d more", len(p.Violations)-i)
			break
		}
		fmt.Fprintf(&text, "; %s %s", brief(v.Pointer), brief(v.Detail))
	}
	if p.RetryAfter > 0 {
		fmt.Fprintf(&text, " (again after %s)", p.RetryAfter)
	}
	if p.RequestID != "" {
		fmt.Fprintf(&text, " (request %s)", brief(p.RequestID))
	}
	return text.String()
}

const (
	problemJSON = "application/problem+json"
	plainJSON   = "application/json"
)

// mediaType returns the media type of a response without parameters, or "" for an
// invalid one.
func mediaType(header http.Header) string {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// refusal returns the error of a response with another status than the wanted one.
func refusal(status int, header http.Header, body []byte, now time.Time) error {
	wait, _ := retryAfter(header, now)
	none := &AnswerError{Status: status, MediaType: mediaType(header), RequestID: header.Get("X-Request-Id"), RetryAfter: wait}
	if none.MediaType != problemJSON || status < http.StatusBadRequest {
		return none
	}
	var read struct {
		Type      string      `json:"type"`
		Title     string      `json:"title"`
		Code      Code        `json:"code"`
		Detail    string      `json:"detail"`
		RequestID string      `json:"requestId"`
		Errors    []Violation `json:"errors"`
	}
	if err := json.Unmarshal(body, &read); err != nil {
		none.Err = err
		return none
	}
	if read.RequestID == "" {
		read.RequestID = none.RequestID
	}
	return &Problem{
		Type: read.Type, Title: read.Title, Status: status, Code: read.Code, Detail: read.Detail,
		RequestID: read.RequestID, Violations: read.Errors, RetryAfter: wait,
		members: body,
	}
}
