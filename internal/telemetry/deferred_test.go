// SPDX-License-Identifier: Apache-2.0

package telemetry_test

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/telemetry"
)

// writes records the messages of the lines in each write.
type writes struct {
	mu  sync.Mutex
	all [][]string
}

func (w *writes) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var messages []string
	for line := range strings.Lines(string(text)) {
		_, rest, _ := strings.Cut(line, `"msg":"`)
		message, _, _ := strings.Cut(rest, `"`)
		messages = append(messages, message)
	}
	w.all = append(w.all, messages)
	return len(text), nil
}

func TestDeferredLinesAreWrittenTogetherAndInOrder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		log  func(log, deferred *slog.Logger, flush func())
		want [][]string
	}{
		"deferred lines wait": {func(_, deferred *slog.Logger, _ func()) {
			deferred.Info("a")
			time.Sleep(99 * time.Millisecond)
		}, nil},
		"after a tenth of a second they are written": {func(_, deferred *slog.Logger, _ func()) {
			deferred.Info("a")
			time.Sleep(99 * time.Millisecond)
			deferred.Info("b")
			time.Sleep(2 * time.Millisecond)
			deferred.Info("c")
			time.Sleep(time.Second)
		}, [][]string{{"a", "b"}, {"c"}}},
		"another line is written at once, after them": {func(log, deferred *slog.Logger, _ func()) {
			deferred.Info("a")
			log.Info("b")
			log.Info("c")
		}, [][]string{{"a", "b"}, {"c"}}},
		"a deferred error is written at once": {func(_, deferred *slog.Logger, _ func()) {
			deferred.Info("a")
			deferred.Error("b")
		}, [][]string{{"a", "b"}}},
		"a deferred line that needs redaction is written at once": {func(_, deferred *slog.Logger, _ func()) {
			deferred.Info("a")
			deferred.Info("b sha256=00")
		}, [][]string{{"a", "b sha256=[redacted]"}}},
		"a flush writes them": {func(_, deferred *slog.Logger, flush func()) {
			deferred.Info("a")
			flush()
			flush()
		}, [][]string{{"a"}}},
		"32 KiB are written at once": {func(_, deferred *slog.Logger, _ func()) {
			deferred.Info("a", "text", strings.Repeat("x", 20<<10))
			deferred.Info("b", "text", strings.Repeat("x", 20<<10))
			deferred.Info("c")
		}, [][]string{{"a", "b"}}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out writes
				log, flush := telemetry.NewBufferedLogger(&out, slog.LevelInfo)
				tc.log(log, slog.New(telemetry.Deferred(log)), flush)
				out.mu.Lock()
				got := slices.Clone(out.all)
				out.mu.Unlock()
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("writes (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestDeferredLinesOfOtherLoggersDoNotWait(t *testing.T) {
	t.Parallel()
	var out writes
	slog.New(telemetry.Deferred(telemetry.NewLogger(&out, slog.LevelInfo))).Info("a")
	if len(out.all) != 1 {
		t.Errorf("%d writes, want the line at once", len(out.all))
	}
}
