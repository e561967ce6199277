// SPDX-License-Identifier: Apache-2.0

package xjmf_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/xjmf"
)

func TestSendReturnsAnswerAndFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	const accepted = `<XJMF xmlns="http://www.CIP4.org/JDFSchema_2_0"><ResponseStatus ReturnCode="0"/></XJMF>`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if got := r.Header.Get("Content-Type"); got != "application/vnd.cip4-xjmf+xml" || r.Header.Get(xjmf.HeaderSender) != "mis" || string(body) != "<XJMF/>" {
			t.Errorf("received %q of type %s with %v", body, got, r.Header)
		}
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/accepted", http.StatusTemporaryRedirect)
		case "/accepted":
			_, _ = io.WriteString(w, accepted)
		default:
			http.Error(w, "no", http.StatusForbidden)
		}
	}))
	defer server.Close()
	headers := http.Header{xjmf.HeaderSender: {"mis"}}
	for path, want := range map[string]xjmf.Answer{
		"/accepted": {Accepted: true, Status: "200 OK", Body: accepted},
		"/refused":  {Status: "403 Forbidden", Body: "no\n"},
		"/moved":    {Status: "307 Temporary Redirect"},
	} {
		got, err := xjmf.Send(t.Context(), server.URL+path, headers, []byte("<XJMF/>"))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: error %v, answer (-want +got):\n%s", path, err, diff)
		}
	}
	server.Close()
	if _, err := xjmf.Send(t.Context(), server.URL, headers, nil); err == nil {
		t.Error("no error from a stopped server")
	}
}
