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

// Problem is an answer by which the API refuses a request (RFC 9457). Decide by
// Code; what to do next is told for each in /docs/api/problem-codes.json.
type Problem struct {
	// Type is the URI of the kind of problem, which resolves to its definition.
	Type  string
	Title string
	// Status is that of the answer.
	Status int
	Code   Code
	// Detail is for a human.
	Detail string
	// RequestID names the request; quote it when you ask for help.
	RequestID string
	// Violations lists what is wrong with the body, up to a hundred.
	Violations []Violation
	// RetryAfter is when to send the request again; zero where the answer does
	// not say, because waiting does not help or nobody knows.
	RetryAfter time.Duration

	// members are all members as they came, for those that belong to one verb.
	members json.RawMessage
}

// Violation is one thing that is wrong with a body.
type Violation struct {
	// Pointer leads to it, as a URI fragment (RFC 6901): #/quantity.
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

// shownViolations is how many of them the text of an error has.
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

// mediaType is that of an answer, without parameters; empty if it cannot be
// read.
func mediaType(header http.Header) string {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

// refusal is the error of an answer that is not the one that was asked for.
func refusal(status int, header http.Header, body []byte, now time.Time) error {
	wait, _ := retryAfter(header, now)
	none := &AnswerError{Status: status, MediaType: mediaType(header), RequestID: header.Get("X-Request-Id"), RetryAfter: wait}
	if none.MediaType != problemJSON || status < http.StatusBadRequest {
		return none
	}
	var told struct {
		Type      string      `json:"type"`
		Title     string      `json:"title"`
		Code      Code        `json:"code"`
		Detail    string      `json:"detail"`
		RequestID string      `json:"requestId"`
		Errors    []Violation `json:"errors"`
	}
	if err := json.Unmarshal(body, &told); err != nil {
		none.Err = err
		return none
	}
	if told.RequestID == "" {
		told.RequestID = none.RequestID
	}
	return &Problem{
		Type: told.Type, Title: told.Title, Status: status, Code: told.Code, Detail: told.Detail,
		RequestID: told.RequestID, Violations: told.Errors, RetryAfter: wait,
		members: body,
	}
}
