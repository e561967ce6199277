// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"embed"
	"fmt"

	"github.com/redis/go-redis/v9"
)

//go:embed scripts
var source embed.FS

// scripts has one script for each transition. A transition is one round trip
// and atomic, so no crash can leave half of it.
type scripts struct {
	submit, start, reclaim, renew, finish, retry, release, cancel, move, janitor *redis.Script
}

func loadScripts() (*scripts, error) {
	s := &scripts{}
	for name, target := range map[string]**redis.Script{
		"submit": &s.submit, "start": &s.start, "reclaim": &s.reclaim, "renew": &s.renew, "finish": &s.finish,
		"retry": &s.retry, "release": &s.release, "cancel": &s.cancel, "move": &s.move, "janitor": &s.janitor,
	} {
		prelude, err := source.ReadFile("scripts/prelude.lua")
		if err != nil {
			return nil, fmt.Errorf("read script: %w", err)
		}
		body, err := source.ReadFile("scripts/" + name + ".lua")
		if err != nil {
			return nil, fmt.Errorf("read script: %w", err)
		}
		*target = redis.NewScript(string(prelude) + string(body))
	}
	return s, nil
}
