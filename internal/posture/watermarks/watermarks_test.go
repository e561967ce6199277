// SPDX-License-Identifier: Apache-2.0

package watermarks_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/posture/watermarks"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/test/eventually"
	"github.com/printmarket/printmarket/test/redistest"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func names(t *testing.T, s *watermarks.Shared) string {
	t.Helper()
	all, err := s.List(t.Context())
	if err != nil {
		t.Fatalf("s.List: %v", err)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
	}
	return strings.Join(names, " ")
}

func TestReplicasListTheWatermarksOfAll(t *testing.T) {
	t.Parallel()
	redistest.Each(t, func(t *testing.T, server *redistest.Server) {
		now := noon
		s := watermarks.New(server.Client(t), func() time.Time { return now })
		if got := names(t, s); got != "" {
			t.Errorf("replicas of an empty Redis: %s", got)
		}
		second := watermarks.Replica{Name: "api-1", Version: "1.2.3", Watermark: posture.Watermark{
			Revision: "r1", AgeSeconds: 1.5, Enforcing: true, Compiled: map[string]string{"CapabilityRollout": "120"},
		}}
		for _, r := range []watermarks.Replica{second, {Name: "api-0"}, {Name: "api-1"}, second} {
			if err := s.Publish(t.Context(), r); err != nil {
				t.Fatalf("s.Publish: %v", err)
			}
		}
		all, err := s.List(t.Context())
		second.At = noon
		if diff := cmp.Diff([]watermarks.Replica{{Name: "api-0", At: noon}, second}, all); diff != "" || err != nil {
			t.Errorf("replicas: %v (-want +got):\n%s", err, diff)
		}
		now = now.Add(watermarks.Lifetime)
		if err := s.Publish(t.Context(), watermarks.Replica{Name: "api-2"}); err != nil {
			t.Fatalf("s.Publish: %v", err)
		}
		if got := names(t, s); got != "api-0 api-1 api-2" {
			t.Errorf("replicas at the end of their lifetime: %s", got)
		}
		now = now.Add(time.Second)
		if got := names(t, s); got != "api-2" {
			t.Errorf("replicas after the lifetime of two: %s", got)
		}
	})
}

func TestForeignTextsAreNotListed(t *testing.T) {
	t.Parallel()
	client := redistest.Mini(t).Client(t)
	s := watermarks.New(client, func() time.Time { return noon })
	for field, text := range map[string]string{
		"none": "", "cut": `{"name":`, "list": `[]`, "nameless": `{"at":"2026-11-20T12:00:00Z"}`,
		"long": `{"name":"` + strings.Repeat("a", 8<<10) + `","at":"2026-11-20T12:00:00Z"}`, "whole": `{"name":"api-0","at":"2026-11-20T12:00:00Z","more":1}`,
	} {
		if err := client.HSet(t.Context(), "pm:{replicas}", field, text).Err(); err != nil {
			t.Fatalf("client.HSet: %v", err)
		}
	}
	if got := names(t, s); got != "api-0" {
		t.Errorf("replicas: %s", got)
	}
}

func TestStoppingReplicaRemovesItsWatermark(t *testing.T) {
	t.Parallel()
	client := redistest.Mini(t).Client(t)
	s := watermarks.New(client, func() time.Time { return noon })
	if err := client.HSet(t.Context(), "pm:{replicas}", "old", `{"name":"old","at":"2026-11-20T11:00:00Z"}`).Err(); err != nil {
		t.Fatalf("client.HSet: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx, func() watermarks.Replica { return watermarks.Replica{Name: "api-0"} }, time.Millisecond, telemetry.Discard())
	}()
	eventually.Holds(t, "the stopped replica is removed", func() bool {
		fields, err := client.HKeys(t.Context(), "pm:{replicas}").Result()
		return err == nil && strings.Join(fields, " ") == "api-0"
	})
	cancel()
	<-ended
	if got := names(t, s); got != "" {
		t.Errorf("replicas after the end: %s", got)
	}
}
