// SPDX-License-Identifier: Apache-2.0

package respond

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/printmarket/printmarket/internal/problem"
)

// TypePath is the path below which the registry serves problem types.
const TypePath = "/problems/marketplace/"

var (
	problemMediaType = []string{"application/problem+json"}
	noStore          = []string{"no-store"}
)

// Problems writes problems whose type URIs refer to one registry.
type Problems struct {
	heads map[problem.Code]head
	pool  sync.Pool
}

// head holds the parts of a problem body that depend only on its code.
type head struct {
	status int
	text   []byte
}

// NewProblems prepares the problems for a registry at this origin, for example
// "https://errors.example.com".
func NewProblems(registryURL string) *Problems {
	p := &Problems{
		heads: make(map[problem.Code]head),
		pool:  sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }},
	}
	for _, d := range problem.Codes() {
		typeURI, title := "about:blank", http.StatusText(d.Status)
		if t, ok := problem.TypeOf(d.Slug); ok {
			typeURI, title = registryURL+TypePath+string(t.Slug), t.Title
		}
		text := appendString([]byte(`{"type":`), typeURI)
		text = appendString(append(text, `,"title":`...), title)
		text = strconv.AppendInt(append(text, `,"status":`...), int64(d.Status), 10)
		text = appendString(append(text, `,"code":`...), string(d.Code))
		p.heads[d.Code] = head{status: d.Status, text: append(text, `,"requestId":`...)}
	}
	return p
}

// Status returns the HTTP status of problems with a code.
func (p *Problems) Status(code problem.Code) int { return p.heads[code].status }

// Write responds with the problem. It keeps header fields that the caller has set; without
// Cache-Control it sets no-store.
func (p *Problems) Write(w http.ResponseWriter, prob *problem.Problem) {
	h, ok := p.heads[prob.Code]
	if !ok { // a code outside the table: the table's test makes this unreachable
		prob = problem.New(problem.CodeInternalError, "The request could not be completed.").With(prob)
		h = p.heads[prob.Code]
	}
	buffer, _ := p.pool.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= keptBuffer {
			p.pool.Put(buffer)
		}
	}()
	var id string
	if x := Of(w); x != nil {
		x.code, id = prob.Code, x.ID()
	}
	body := appendProblem(append((*buffer)[:0], h.text...), id, prob)
	*buffer = body

	header := w.Header()
	header["Content-Type"] = problemMediaType
	if header["Cache-Control"] == nil {
		header["Cache-Control"] = noStore
	}
	if prob.RetryAfter > 0 {
		header["Retry-After"] = []string{RetryAfter(prob.RetryAfter)}
	}
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(h.status)
	_, _ = w.Write(body) // fails only if the client has disconnected
}

// WritePage responds with an HTML page in place of the body of a problem with a code.
func (p *Problems) WritePage(w http.ResponseWriter, code problem.Code, page []byte) {
	if x := Of(w); x != nil {
		x.code = code
	}
	Bytes(w, p.Status(code), "text/html;charset=utf-8", page)
}

// keptBuffer is the maximum size of a buffer that is reused, in bytes.
const keptBuffer = 16 << 10

func appendProblem(body []byte, id string, prob *problem.Problem) []byte {
	body = appendString(body, id)
	body = appendString(append(body, `,"detail":`...), prob.Detail)
	if len(prob.Errors) > 0 {
		body = append(body, `,"errors":[`...)
		for i, v := range prob.Errors {
			if i > 0 {
				body = append(body, ',')
			}
			body = appendString(append(body, `{"pointer":`...), v.Pointer)
			body = appendString(append(body, `,"code":`...), string(cmp.Or(v.Code, problem.InvalidValue)))
			body = appendString(append(body, `,"detail":`...), v.Detail)
			body = append(body, '}')
		}
		body = append(body, ']')
	}
	if l := prob.Limited; l != nil {
		body = strconv.AppendInt(append(body, `,"limit":`...), l.Limit, 10)
		body = strconv.AppendInt(append(body, `,"remaining":`...), l.Remaining, 10)
		body = append(l.Resets.UTC().AppendFormat(append(body, `,"resetsAt":"`...), instantLayout), '"')
	}
	if members := bytes.TrimSpace(prob.Extension); len(members) > len("{}") {
		body = append(append(body, ','), members[1:len(members)-1]...)
	}
	return append(body, '}', '\n')
}

// appendString appends a JSON string. It does not allocate if the text needs no escapes,
// which is the common case.
func appendString(body []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c >= utf8.RuneSelf {
			escaped, _ := json.Marshal(text) // a string always marshals
			return append(body, escaped...)
		}
	}
	body = append(body, '"')
	body = append(body, text...)
	return append(body, '"')
}

// RetryAfter returns a delay in whole seconds, rounded up, between 1 and 86400.
func RetryAfter(wait time.Duration) string {
	seconds := int64((wait + time.Second - 1) / time.Second)
	return strconv.FormatInt(min(max(seconds, 1), 86400), 10)
}
