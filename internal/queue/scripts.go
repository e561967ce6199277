// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/printmarket/printmarket/internal/telemetry"
)

//go:embed scripts
var source embed.FS

// The first lines of scripts declare their flags to the server. A script that frees memory
// must run on a server whose memory is full.
const (
	mayGrow  = "#!lua\n"
	mustRun  = "#!lua flags=allow-oom\n"
	onlyRead = "#!lua flags=no-writes\n"
)

// scripts has one script for each transition. A transition is one round trip and atomic, so
// a crash never leaves half of it.
type scripts struct {
	submit, cancel, order, share, drain                                             *script
	take, maintain, start, held, renew, finish, retry, deadLetter, orderDone, leave *script
	list, tenants                                                                   *script
}

func loadScripts() (*scripts, error) {
	s, plain := &scripts{}, &atomic.Bool{}
	for name, target := range map[string]struct {
		script **script
		flags  string
	}{
		"submit": {&s.submit, mayGrow}, "order": {&s.order, mayGrow}, "cancel": {&s.cancel, mustRun},
		"share": {&s.share, mustRun}, "drain": {&s.drain, mustRun},
		"take": {&s.take, mustRun}, "maintain": {&s.maintain, mustRun}, "start": {&s.start, mustRun}, "held": {&s.held, mustRun},
		"renew": {&s.renew, mustRun}, "finish": {&s.finish, mustRun}, "retry": {&s.retry, mustRun},
		"dead_letter": {&s.deadLetter, mustRun}, "order_done": {&s.orderDone, mustRun}, "leave": {&s.leave, mustRun},
		"list": {&s.list, mustRun}, "tenants": {&s.tenants, onlyRead},
	} {
		text, err := Script(name)
		if err != nil {
			return nil, err
		}
		*target.script = &script{operation: "queue " + name, flagged: redis.NewScript(target.flags + text), plain: redis.NewScript(text), usePlain: plain}
	}
	return s, nil
}

// Script returns the text of a transition as it runs on the server, without the line of
// flags.
func Script(name string) (string, error) {
	texts, err := assembled()
	if err != nil {
		return "", err
	}
	if text, ok := texts[name]; ok {
		return text, nil
	}
	return "", fmt.Errorf("read script: unknown name %q", name)
}

// shared lists the parts that all scripts share. A part whose name ends with first is the
// beginning of one script, before the shared parts.
var shared = []string{"opening", "prelude", "postlude"}

const first = ".first"

// assembled returns the text of each transition. It runs once for all queues, because it
// takes long.
var assembled = sync.OnceValues(func() (map[string]string, error) {
	files, err := fs.Glob(source, "scripts/*.lua")
	texts := map[string]string{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".lua")
		if slices.Contains(shared, name) || strings.HasSuffix(name, first) {
			continue
		}
		// A script may have a part of its own that runs before the definitions.
		parts := map[string]string{}
		for _, part := range slices.Concat(shared, []string{name + first, name}) {
			content, failed := source.ReadFile("scripts/" + part + ".lua")
			if failed != nil && (part != name+first || !errors.Is(failed, fs.ErrNotExist)) {
				err = errors.Join(err, fmt.Errorf("read script: %w", failed))
			}
			parts[part] = string(content)
		}
		body := parts[name] + parts["postlude"]
		texts[name] = parts["opening"] + parts[name+first] + needed(parts["prelude"], body) + body
	}
	return texts, err
})

var (
	// block matches a definition at the outermost level, with its comment.
	block      = regexp.MustCompile(`(?m)^(?:--.*\n)*local (?:function (\w+)\((?s:.*?)^end\n|(\w+(?:, \w+)*)(?: =.*)?\n)`)
	identifier = regexp.MustCompile(`\w+`)
)

// needed returns the part of the prelude that a script uses. A server runs all definitions
// again for each call, so unused ones would cost time.
func needed(prelude, body string) string {
	used := map[string]bool{}
	note := func(text string) {
		for _, w := range identifier.FindAllString(comment.ReplaceAllString(text, ""), -1) {
			used[w] = true
		}
	}
	note(body)
	blocks := block.FindAllStringSubmatch(prelude, -1)
	// A definition uses only earlier definitions, so one pass from the end is enough.
	kept := make([]string, 0, len(blocks))
	for _, b := range slices.Backward(blocks) {
		if slices.ContainsFunc(identifier.FindAllString(b[1]+b[2], -1), func(w string) bool { return used[w] }) {
			note(b[0])
			kept = append(kept, comment.ReplaceAllString(b[0], ""))
		}
	}
	slices.Reverse(kept)
	return strings.Join(kept, "")
}

var comment = regexp.MustCompile(`(?m)^ *--.*\n`)

// script is a transition. A server without support for flags (miniredis) gets the text
// without flags.
type script struct {
	// operation names the transition in spans.
	operation      string
	flagged, plain *redis.Script
	usePlain       *atomic.Bool
}

// run runs the script and records one span for a traced caller.
func (s *script) run(ctx context.Context, q *Queue, client redis.Scripter, args ...any) *redis.Cmd {
	span := telemetry.StartCall(ctx, "redis", s.operation)
	all := append([]any{q.prefix}, args...)
	var reply *redis.Cmd
	if !s.usePlain.Load() {
		reply = s.flagged.Run(ctx, client, []string{q.stream}, all...)
		if err := reply.Err(); err != nil && strings.Contains(err.Error(), "line:1(column:1) near '#'") {
			s.usePlain.Store(true) // the server takes the flags for a syntax error
		}
	}
	if s.usePlain.Load() {
		reply = s.plain.Run(ctx, client, []string{q.stream}, all...)
	}
	span.End(fault(reply.Err()))
	return reply
}

// fault returns the reason of a failed script in one word, or an empty text.
func fault(err error) string {
	switch {
	case errors.Is(err, redis.Nil):
		return ""
	case isRedisError(err):
		return "refused"
	default:
		return telemetry.FailureReason(err)
	}
}

// byName runs a script by its digest. A server that does not have the script returns the
// error NOSCRIPT, and the caller must use run.
func (s *script) byName(ctx context.Context, q *Queue, client redis.Scripter, args ...any) *redis.Cmd {
	form := s.flagged
	if s.usePlain.Load() {
		form = s.plain
	}
	return form.EvalSha(ctx, client, []string{q.stream}, append([]any{q.prefix}, args...)...)
}
