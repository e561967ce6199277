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

// The first lines of scripts, which tell the server what they need. Whatever
// makes room must run on a server that is full.
const (
	mayGrow  = "#!lua\n"
	mustRun  = "#!lua flags=allow-oom\n"
	onlyRead = "#!lua flags=no-writes\n"
)

// scripts has one script for each transition. A transition is one round trip
// and atomic, so no crash can leave half of it.
type scripts struct {
	submit, cancel, order, share, drain                                *script
	take, tend, start, astray, renew, finish, retry, bury, obey, leave *script
	list, tenants                                                      *script
}

func loadScripts() (*scripts, error) {
	s, plain := &scripts{}, &atomic.Bool{}
	for name, target := range map[string]struct {
		script **script
		flags  string
	}{
		"submit": {&s.submit, mayGrow}, "order": {&s.order, mayGrow}, "cancel": {&s.cancel, mustRun},
		"share": {&s.share, mustRun}, "drain": {&s.drain, mustRun},
		"take": {&s.take, mustRun}, "tend": {&s.tend, mustRun}, "start": {&s.start, mustRun}, "astray": {&s.astray, mustRun},
		"renew": {&s.renew, mustRun}, "finish": {&s.finish, mustRun}, "retry": {&s.retry, mustRun},
		"bury": {&s.bury, mustRun}, "obey": {&s.obey, mustRun}, "leave": {&s.leave, mustRun},
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

// Script returns the text of a transition as it runs on the server, without the
// line that tells the server what it needs.
func Script(name string) (string, error) {
	texts, err := assembled()
	if err != nil {
		return "", err
	}
	if text, ok := texts[name]; ok {
		return text, nil
	}
	return "", fmt.Errorf("read script: there is no %q", name)
}

// shared are the parts that scripts have in common; first is how the name of a part ends
// that one has before the others.
var shared = []string{"opening", "prelude", "postlude"}

const first = ".first"

// assembled has the text of each transition. It takes a while, and is the same for all
// queues.
var assembled = sync.OnceValues(func() (map[string]string, error) {
	files, err := fs.Glob(source, "scripts/*.lua")
	texts := map[string]string{}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".lua")
		if slices.Contains(shared, name) || strings.HasSuffix(name, first) {
			continue
		}
		var failed error
		texts[name], failed = assemble(name)
		err = errors.Join(err, failed)
	}
	return texts, err
})

// assemble puts a script together. What it does before anything is defined, if there is
// such a part, is in a file of its own.
func assemble(name string) (string, error) {
	parts := map[string]string{}
	for _, part := range slices.Concat(shared, []string{name + first, name}) {
		content, err := source.ReadFile("scripts/" + part + ".lua")
		if err != nil && (part != name+first || !errors.Is(err, fs.ErrNotExist)) {
			return "", fmt.Errorf("read script: %w", err)
		}
		parts[part] = string(content)
	}
	body := parts[name] + parts["postlude"]
	return parts["opening"] + parts[name+first] + needed(parts["prelude"], body) + body, nil
}

var (
	// block is a definition on the outermost level, with its comment.
	block      = regexp.MustCompile(`(?m)^(?:--.*\n)*local (?:function (\w+)\((?s:.*?)^end\n|(\w+(?:, \w+)*)(?: =.*)?\n)`)
	identifier = regexp.MustCompile(`\w+`)
)

// needed is the part of the prelude that a script uses. A server defines all of
// it anew for each call, and what is defined costs the more the more there is.
func needed(prelude, body string) string {
	used := map[string]bool{}
	note := func(text string) {
		for _, w := range identifier.FindAllString(comment.ReplaceAllString(text, ""), -1) {
			used[w] = true
		}
	}
	note(body)
	blocks := block.FindAllStringSubmatch(prelude, -1)
	// What is used is defined before, so once from the end is enough.
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

// script is a transition. A server that does not know flags (miniredis) gets it
// without.
type script struct {
	// operation is what spans call it.
	operation      string
	flagged, plain *redis.Script
	usePlain       *atomic.Bool
}

// run is one span of a traced caller.
func (s *script) run(ctx context.Context, q *Queue, client redis.Scripter, args ...any) *redis.Cmd {
	span := telemetry.Ask(ctx, "redis", s.operation)
	reply := s.ask(ctx, q, client, args)
	span.End(fault(reply.Err()))
	return reply
}

// fault is why a script has not done what it is for, in a word; empty if it has.
func fault(err error) string {
	switch {
	case errors.Is(err, redis.Nil):
		return ""
	case isRedisError(err):
		return "refused"
	default:
		return telemetry.Unanswered(err)
	}
}

// byName asks a server for a script that it knows. One that does not says so, and has
// to be asked with run.
func (s *script) byName(ctx context.Context, q *Queue, client redis.Scripter, args ...any) *redis.Cmd {
	form := s.flagged
	if s.usePlain.Load() {
		form = s.plain
	}
	return form.EvalSha(ctx, client, []string{q.stream}, append([]any{q.prefix}, args...)...)
}

func (s *script) ask(ctx context.Context, q *Queue, client redis.Scripter, args []any) *redis.Cmd {
	all := append([]any{q.prefix}, args...)
	if !s.usePlain.Load() {
		reply := s.flagged.Run(ctx, client, []string{q.stream}, all...)
		if !isSyntax(reply.Err()) {
			return reply
		}
		s.usePlain.Store(true)
	}
	return s.plain.Run(ctx, client, []string{q.stream}, all...)
}

func isSyntax(err error) bool {
	return err != nil && strings.Contains(err.Error(), "line:1(column:1) near '#'")
}
