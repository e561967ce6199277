// SPDX-License-Identifier: Apache-2.0

// Package telemetry provides JSON log lines without secrets, Prometheus metrics with bounded
// labels, and optional traces.
//
// Redaction has two layers. Secrets have a type that prints as [redacted]. In addition,
// every string that reaches a logger from [NewLogger] passes patterns that replace our own
// keys, bearer tokens, HMAC signatures, and the user info, queries and fragments of URLs (a
// customer's fileUrl usually has a signature in its query).
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"
)

// NewLogger returns a logger that writes redacted JSON lines to w, from the level up.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return newLogger(&redactingWriter{to: w}, level)
}

// NewBufferedLogger returns a logger like NewLogger whose [Deferred] lines are written together.
// Call flush before the process ends.
func NewBufferedLogger(w io.Writer, level slog.Leveler) (log *slog.Logger, flush func()) {
	to := &redactingWriter{to: w, buffered: true}
	return newLogger(to, level), to.flush
}

func newLogger(to *redactingWriter, level slog.Leveler) *slog.Logger {
	return slog.New(tracedHandler{&lineHandler{
		Handler: slog.NewJSONHandler(to, &slog.HandlerOptions{Level: level, ReplaceAttr: replace}),
		to:      to, lines: &sync.Pool{New: func() any { return new(line) }},
	}})
}

// Deferred returns the handler of log for frequent lines, such as those of requests. The handler
// of a buffered logger writes them together, at the latest after a tenth of a second and
// before the next line that is not deferred. A crash loses the lines that wait.
func Deferred(log *slog.Logger) slog.Handler {
	traced, _ := log.Handler().(tracedHandler)
	if plain, ok := traced.Handler.(*lineHandler); ok && plain.to.buffered {
		return tracedHandler{&lineHandler{Handler: plain.Handler, to: plain.to, lines: plain.lines, deferred: true}}
	}
	return log.Handler()
}

// tracedHandler adds the ids of a span to lines: the span of the context, or else the span in
// which a logged error happened.
type tracedHandler struct{ slog.Handler }

// The keys of the ids of a span.
const traceKey, spanKey = "traceId", "spanId"

// Handle implements slog.Handler.
func (h tracedHandler) Handle(ctx context.Context, r slog.Record) error {
	in := trace.SpanContextFromContext(ctx)
	if !in.IsValid() {
		in = happenedIn(r)
	}
	if in.IsValid() {
		r = r.Clone()
		r.AddAttrs(slog.String(traceKey, in.TraceID().String()), slog.String(spanKey, in.SpanID().String()))
	}
	return h.Handler.Handle(ctx, r)
}

// Pairs returns the keys and values of the span of ctx, for loggers that take no context. It
// returns nil without a span.
func Pairs(ctx context.Context) []any {
	in := trace.SpanContextFromContext(ctx)
	if !in.IsValid() {
		return nil
	}
	return []any{traceKey, in.TraceID().String(), spanKey, in.SpanID().String()}
}

// Within returns err with the span of ctx, so that a later log line without a context has the
// ids of that span. It returns err itself if ctx has no span.
func Within(ctx context.Context, err error) error {
	in := trace.SpanContextFromContext(ctx)
	if err == nil || !in.IsValid() {
		return err
	}
	return &spanError{err, in}
}

type spanError struct {
	error
	in trace.SpanContext
}

// Unwrap supports errors.Is and errors.As.
func (e *spanError) Unwrap() error { return e.error }

// happenedIn returns the span of the first error of a record that has one.
func happenedIn(r slog.Record) (in trace.SpanContext) {
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Value.Kind() != slog.KindAny {
			return true
		}
		err, _ := attr.Value.Any().(error)
		if known, ok := errors.AsType[*spanError](err); ok {
			in = known.in
		}
		return !in.IsValid()
	})
	return in
}

// WithAttrs implements slog.Handler.
func (h tracedHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return tracedHandler{h.Handler.WithAttrs(attrs)}
}

// WithGroup implements slog.Handler.
func (h tracedHandler) WithGroup(name string) slog.Handler {
	return tracedHandler{h.Handler.WithGroup(name)}
}

// Discard returns a logger without output, for tests and command-line tools.
func Discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// replace converts values with an encoding of their own to text, so that errors and structs
// pass the same patterns as strings.
func replace(_ []string, attr slog.Attr) slog.Attr {
	switch attr.Value.Kind() {
	case slog.KindString:
		return slog.String(attr.Key, Redact(attr.Value.String()))
	case slog.KindAny:
		if err, ok := attr.Value.Any().(error); ok {
			return slog.String(attr.Key, Redact(err.Error()))
		}
		if text, ok := attr.Value.Any().(fmt.Stringer); ok {
			return slog.String(attr.Key, Redact(text.String()))
		}
	}
	return attr
}

// The limits of lines that wait in a redactingWriter.
const (
	maxLinesWait = 100 * time.Millisecond
	maxLinesSize = 32 << 10
)

// redactingWriter redacts the encoded line, which covers messages and all other values. Each
// call of Write writes one line.
type redactingWriter struct {
	to       io.Writer
	buffered bool

	mu sync.Mutex
	// waiting holds deferred lines, in the order of their arrival. timed is set while a timer
	// will write them.
	waiting []byte
	timed   bool
}

func (w *redactingWriter) Write(line []byte) (int, error) {
	text := line
	if suspicious(line) {
		text = []byte(Redact(string(line)))
	}
	if err := w.write(text); err != nil {
		return 0, err
	}
	return len(line), nil
}

// write writes the waiting lines and then a redacted line.
func (w *redactingWriter) write(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waiting) > 0 {
		line = append(w.waiting, line...)
		w.waiting = line[:0]
	}
	_, err := w.to.Write(line)
	return err
}

// keep lets a redacted line wait.
func (w *redactingWriter) keep(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, line...)
	if len(w.waiting) >= maxLinesSize {
		w.writeWaiting()
	} else if !w.timed {
		w.timed = true
		time.AfterFunc(maxLinesWait, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.timed = false
			w.writeWaiting()
		})
	}
}

// flush writes the waiting lines.
func (w *redactingWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writeWaiting()
}

// writeWaiting writes the waiting lines. The caller holds mu.
func (w *redactingWriter) writeWaiting() {
	if len(w.waiting) > 0 {
		_, _ = w.to.Write(w.waiting) // the callers have returned
		w.waiting = w.waiting[:0]
	}
}

// marks are substrings: every text that a pattern matches contains at least one of them. Most
// lines contain none and skip the patterns.
var marks = [...]string{"pmk_", "earer ", "sha256=", "whsec_", "://"}

// suspicious reports whether text contains a mark. It compares only at bytes that may end a
// mark, because it runs for every line.
func suspicious[T string | []byte](text T) bool {
	for i := range len(text) {
		switch text[i] {
		case '_', ' ', '=', '/':
			if endsInMark(text[:i+1]) {
				return true
			}
		}
	}
	return false
}

func endsInMark[T string | []byte](text T) bool {
	for _, mark := range marks {
		if at := len(text) - len(mark); at >= 0 && string(text[at:]) == mark {
			return true
		}
	}
	return false
}

var patterns = [...]struct {
	find *regexp.Regexp
	put  string
}{
	{regexp.MustCompile(`pmk_(test|live)_[A-Za-z0-9_]+`), "pmk_${1}_[redacted]"},
	{regexp.MustCompile(`\b([Bb])earer +[^\s"\\]+`), "${1}earer [redacted]"},
	{regexp.MustCompile(`sha256=[0-9A-Fa-f]+`), "sha256=[redacted]"},
	{regexp.MustCompile(`whsec_[A-Za-z0-9+/=_-]+`), "whsec_[redacted]"},
	{regexp.MustCompile(`://[^/@\s"\\]*@`), "://[redacted]@"},
	{regexp.MustCompile(`(://[^?#\s"\\]*)[?#][^\s"\\]*`), "${1}?[redacted]"},
}

// Redact replaces everything in text that looks like a secret.
func Redact(text string) string {
	if !suspicious(text) {
		return text
	}
	for _, p := range patterns {
		text = p.find.ReplaceAllString(text, p.put)
	}
	return text
}
