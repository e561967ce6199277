// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	body   = `{"id":"evt_1","type":"rfq.quoted","timestamp":"2026-11-20T12:00:00Z","data":{"rfqId":"rfq_1"},"links":{"self":"/api/v1/rfq/rfq_1"}}`
)

var sent = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func signature(content string) string {
	mac := hmac.New(sha256.New, []byte("01234567890123456789012345678901"))
	mac.Write([]byte(content))
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func TestConsumerAcceptsSignedEventsOnce(t *testing.T) {
	t.Parallel()
	at := strconv.FormatInt(sent.Unix(), 10)
	good := signature("evt_1." + at + "." + body)
	other := signature("evt_2." + at + "." + body)
	tests := map[string]struct {
		id, at, signature, body string
		later                   time.Duration
		want                    int
	}{
		"the marketplace's":                          {"evt_1", at, good, body, 0, 204},
		"signed with two secrets, one of which fits": {"evt_1", at, other + " " + good, body, 0, 204},
		"another id":                                 {"evt_2", at, good, body, 0, 401},
		"another body":                               {"evt_1", at, good, body + " ", 0, 401},
		"another time":                               {"evt_1", strconv.FormatInt(sent.Unix()+1, 10), good, body, 0, 401},
		"a copy that comes later":                    {"evt_1", at, good, body, tolerance + time.Second, 401},
		"no signature":                               {"evt_1", at, "", body, 0, 401},
		"no time":                                    {"evt_1", "", good, body, 0, 401},
		"a signature of another scheme":              {"evt_1", at, "v1a," + strings.TrimPrefix(good, "v1,"), body, 0, 401},
		"a body without an end":                      {"evt_1", at, good, strings.Repeat("x", maxBody+1), 0, 400},
		"signed, but no event":                       {"evt_1", at, signature("evt_1." + at + ".[]"), "[]", 0, 400},
	}
	for sentence, test := range tests {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			c, err := newConsumer(secret, &out)
			if err != nil {
				t.Fatalf("newConsumer: %v", err)
			}
			c.now = func() time.Time { return sent.Add(test.later) }
			for range 2 {
				r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(test.body))
				r.Header.Set("webhook-id", test.id)
				r.Header.Set("webhook-timestamp", test.at)
				r.Header.Set("webhook-signature", test.signature)
				w := httptest.NewRecorder()
				c.ServeHTTP(w, r)
				if w.Code != test.want {
					t.Errorf("answered %d, want %d", w.Code, test.want)
				}
			}
			want := ""
			if test.want == http.StatusNoContent {
				want = "evt_1 rfq.quoted /api/v1/rfq/rfq_1\n"
			}
			if out.String() != want {
				t.Errorf("did %q, want %q", out.String(), want)
			}
		})
	}
}

func TestConsumerRequiresASecret(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "whsec_", "whsec_%", "MDEyMzQ1"} {
		if _, err := newConsumer(text, nil); err == nil {
			t.Errorf("%q is taken for a secret", text)
		}
	}
}
