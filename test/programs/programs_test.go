// SPDX-License-Identifier: Apache-2.0

package programs_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/test/programs"
)

func TestCacheFollowsTheEnvironment(t *testing.T) {
	t.Parallel()
	for sentence, test := range map[string]struct {
		environment map[string]string
		want        string
	}{
		"the home directory has the cache": {map[string]string{"HOME": "/home/a"}, "/home/a/.cache/printmarket"},
		"the cache can be moved":           {map[string]string{"HOME": "/home/a", "XDG_CACHE_HOME": "/c"}, "/c/printmarket"},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			getenv := func(name string) string { return test.environment[name] }
			if got, err := programs.Cache(getenv); err != nil || got != test.want {
				t.Errorf("the cache is %q, %v; want %q", got, err, test.want)
			}
			toolchain, _, _ := strings.Cut(runtime.Version(), " ")
			want := test.want + "/helm/helm-v1-" + toolchain + "-" + runtime.GOARCH
			if got, err := programs.Directory(getenv, "helm", "helm-v1"); err != nil || got != want {
				t.Errorf("helm is in %q, %v; want %q", got, err, want)
			}
		})
	}
	t.Run("without a home there is no guess", func(t *testing.T) {
		t.Parallel()
		if got, err := programs.Directory(func(string) string { return "" }, "helm", "helm-v1"); !errors.Is(err, programs.ErrNoHome) {
			t.Errorf("got %q, %v; want ErrNoHome", got, err)
		}
	})
}
