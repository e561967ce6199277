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

func TestOnlyPagesThatABusyServerOwesAreAskedForAgain(t *testing.T) {
	t.Parallel()
	first, next := metav1.ListOptions{}, metav1.ListOptions{Continue: "after"}
	tests := map[string]struct {
		options metav1.ListOptions
		err     error
		want    int
	}{
		"a page that came":                         {next, nil, 1},
		"a page that was too late":                 {next, fmt.Errorf("read: %w", context.DeadlineExceeded), pageTries},
		"a page of a server with too much to do":   {next, apierrors.NewTooManyRequests("later", 1), pageTries},
		"a page that took the server too long":     {next, apierrors.NewTimeoutError("slow", 1), pageTries},
		"a page that etcd did not answer":          {next, apierrors.NewServerTimeout(schema.GroupResource{}, "list", 1), pageTries},
		"a page of a server that stops":            {next, apierrors.NewServiceUnavailable("stopping"), pageTries},
		"a first page, with which nothing is lost": {first, context.DeadlineExceeded, 1},
		"a page of a list that has expired":        {next, apierrors.NewResourceExpired("too old"), 1},
		"a page that was cut off":                  {next, io.ErrUnexpectedEOF, 1},
		"a page that may not be read":              {next, apierrors.NewForbidden(schema.GroupResource{}, "", nil), 1},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				got := 0
				err := patiently(t.Context(), test.options, func(context.Context) error {
					got++
					return test.err
				})
				if got != test.want || (err == nil) != (test.err == nil) {
					t.Errorf("asked %d times, want %d; in the end %v", got, test.want, err)
				}
			})
		})
	}
}

func TestNobodyAsksAgainForAPageThatIsNotWanted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	err := patiently(ctx, metav1.ListOptions{Continue: "after"}, func(context.Context) error {
		asked++
		cancel()
		return context.DeadlineExceeded
	})
	if asked != 1 || err == nil {
		t.Errorf("asked %d times, %v", asked, err)
	}
}
