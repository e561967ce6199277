// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// TestMain runs the examples against an API server, whose address and key they
// find where the environment of `printmarket dev` has them.
func TestMain(m *testing.M) {
	code := func() int {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		whole := &lasting{ctx: ctx}
		defer whole.end()
		h := newTestServer(whole)
		for name, value := range map[string]string{"PRINTMARKET_API_URL": h.origin, "PRINTMARKET_ACME_TEST_KEY": h.Key("acme-test")} {
			if err := os.Setenv(name, value); err != nil {
				panic(err)
			}
		}
		return m.Run()
	}()
	os.Exit(code)
}

// lasting is the testing.TB of what lasts as long as all tests together, as far
// as an API server needs one. The interface that it embeds is nil.
type lasting struct {
	testing.TB

	ctx      context.Context //nolint:containedctx // a testing.TB has one
	cleanups []func()
}

func (*lasting) Helper()                    {}
func (l *lasting) Context() context.Context { return l.ctx }
func (l *lasting) Cleanup(f func())         { l.cleanups = append(l.cleanups, f) }
func (*lasting) Fatal(args ...any)          { panic(fmt.Sprint(args...)) }

func (*lasting) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (l *lasting) TempDir() string {
	dir, err := os.MkdirTemp("", "client")
	if err != nil {
		l.Fatalf("os.MkdirTemp  client: %v", err)
	}
	l.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func (l *lasting) end() {
	for i := len(l.cleanups) - 1; i >= 0; i-- {
		l.cleanups[i]()
	}
}
