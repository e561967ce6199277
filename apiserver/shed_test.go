// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

func TestShedRefusesExcessAndServesTheRest(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	handler := shed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		entered <- struct{}{}
		<-leave
		w.WriteHeader(http.StatusNoContent)
	}), 1)
	first := httptest.NewRecorder()
	var wg sync.WaitGroup
	wg.Go(func() { handler.ServeHTTP(first, httptest.NewRequest(http.MethodGet, "/", nil)) })
	<-entered
	second := httptest.NewRecorder()
	handler.ServeHTTP(second, httptest.NewRequest(http.MethodGet, "/", nil))
	if second.Code != http.StatusServiceUnavailable || second.Header().Get("Retry-After") != "1" || second.Body.Len() != 0 {
		t.Errorf("above the limit: %d, Retry-After %q, body %q", second.Code, second.Header().Get("Retry-After"), second.Body)
	}
	close(leave)
	wg.Wait()
	if first.Code != http.StatusNoContent {
		t.Errorf("within the limit: %d", first.Code)
	}
}
