// SPDX-License-Identifier: Apache-2.0

package problem_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/problem"
)

func Example() {
	p := problem.New(problem.CodeInsufficientScope, "The API key does not have the scope %s.", "rfq:write")
	row, _ := problem.Lookup(p.Code)
	fmt.Println(row.Status, row.Slug)
	fmt.Println(row.Do)
	// Output:
	// 403 forbidden
	// Use a key that has the scope in `detail`.
}

// TestRegistryIsTheClosedSet compares slugs and statuses with the published
// registry.
func TestRegistryIsTheClosedSet(t *testing.T) {
	t.Parallel()
	want := map[problem.Slug]int{
		"invalid-request": 400, "validation-failed": 422, "unauthenticated": 401, "forbidden": 403, "not-found": 404,
		"conflict": 409, "precondition-required": 428, "too-early": 425, "payload-too-large": 413, "length-required": 411,
		"gone": 410, "unsupported-media-type": 415, "revision-conflict": 412, "idempotency-conflict": 422,
		"rate-limited": 429, "unavailable": 503, "bad-gateway": 502, "gateway-timeout": 504, "internal-error": 500,
	}
	got := map[problem.Slug]int{}
	for _, typ := range problem.Types() {
		got[typ.Slug] = typ.Status
		if n := len([]rune(typ.Title)); n < 1 || n > 200 {
			t.Errorf("%s: title %q has %d characters, want 1 to 200", typ.Slug, typ.Title, n)
		}
		if upper := strings.ToUpper(strings.ReplaceAll(string(typ.Slug), "-", "_")); string(typ.Code) != upper {
			t.Errorf("%s: code %s, want %s", typ.Slug, typ.Code, upper)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

func TestCodesAreWellFormed(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Z][A-Z0-9_]{2,63}$`)
	blank := map[int]bool{405: true, 406: true, 408: true, 431: true}
	seen := map[problem.Code]bool{}
	for _, d := range problem.Codes() {
		if seen[d.Code] {
			t.Errorf("code %s is listed twice", d.Code)
		}
		seen[d.Code] = true
		if !form.MatchString(string(d.Code)) {
			t.Errorf("code %s does not match %s", d.Code, form)
		}
		if d.Do == "" || !strings.HasSuffix(d.Do, ".") {
			t.Errorf("%s: advice %q, want a sentence", d.Code, d.Do)
		}
		if _, ok := problem.TypeOf(d.Slug); ok == blank[d.Status] {
			t.Errorf("%s: type %q with status %d, want about:blank exactly for 405, 406, 408 and 431", d.Code, d.Slug, d.Status)
		}
		if d.Slug == problem.IdempotencyConflict && d.Code != problem.CodeIdempotencyKeyReused {
			t.Errorf("%s has type %q, want another type", d.Code, d.Slug)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire at 10.0.0.1")
	known := problem.New(problem.CodeGone, "Gone.")
	tests := map[string]struct {
		err  error
		want problem.Code
	}{
		"a problem":                     {known, problem.CodeGone},
		"a wrapped problem":             {fmt.Errorf("read: %w", known), problem.CodeGone},
		"an error without a problem":    {cause, problem.CodeInternalError},
		"a problem caused by a problem": {problem.New(problem.CodeNotFound, "No.").With(known), problem.CodeNotFound},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := problem.Of(tc.err)
			if got.Code != tc.want {
				t.Errorf("Of(%v) = %s, want %s", tc.err, got.Code, tc.want)
			}
			if strings.Contains(got.Detail, "10.0.0.1") {
				t.Errorf("Of(%v).Detail = %q contains the cause", tc.err, got.Detail)
			}
			if !errors.Is(got, tc.err) && !errors.Is(tc.err, got) {
				t.Errorf("Of(%v) = %v does not wrap the error", tc.err, got)
			}
		})
	}
}
