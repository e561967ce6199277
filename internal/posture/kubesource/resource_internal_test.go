// SPDX-License-Identifier: Apache-2.0

package kubesource

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestOnlyContinuationPagesOfABusyServerAreRetried(t *testing.T) {
	t.Parallel()
	first, next := metav1.ListOptions{}, metav1.ListOptions{Continue: "after"}
	tests := map[string]struct {
		options metav1.ListOptions
		err     error
		want    int
	}{
		"success":                      {next, nil, 1},
		"page timeout":                 {next, fmt.Errorf("read: %w", context.DeadlineExceeded), pageTries},
		"too many requests":            {next, apierrors.NewTooManyRequests("later", 1), pageTries},
		"server timeout while reading": {next, apierrors.NewTimeoutError("slow", 1), pageTries},
		"etcd does not respond":        {next, apierrors.NewServerTimeout(schema.GroupResource{}, "list", 1), pageTries},
		"server stopping":              {next, apierrors.NewServiceUnavailable("stopping"), pageTries},
		"first page timeout":           {first, context.DeadlineExceeded, 1},
		"expired list":                 {next, apierrors.NewResourceExpired("too old"), 1},
		"truncated page":               {next, io.ErrUnexpectedEOF, 1},
		"forbidden page":               {next, apierrors.NewForbidden(schema.GroupResource{}, "", nil), 1},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := 0
				err := readWithRetry(t.Context(), test.options, func(context.Context) error {
					got++
					return test.err
				})
				if got != test.want || (err == nil) != (test.err == nil) {
					t.Errorf("%d attempts, want %d; last error %v", got, test.want, err)
				}
			})
		})
	}
}

func TestCancelledPageIsNotRetried(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	err := readWithRetry(ctx, metav1.ListOptions{Continue: "after"}, func(context.Context) error {
		asked++
		cancel()
		return context.DeadlineExceeded
	})
	if asked != 1 || err == nil {
		t.Errorf("%d attempts, error %v, want one attempt", asked, err)
	}
}
