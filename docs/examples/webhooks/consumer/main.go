// SPDX-License-Identifier: Apache-2.0

// Command consumer receives events of the marketplace: a start for your own, with
// the standard library alone. It verifies the bytes of the body before it looks at
// them, answers at once, and does nothing twice.
//
//	PRINTMARKET_WEBHOOK_SECRET=whsec_... consumer --addr 127.0.0.1:9090
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxBody is more than any event has, in bytes.
const maxBody = 64 << 10

// tolerance is how old, or how far ahead, a timestamp may be.
const tolerance = 5 * time.Minute

func main() {
	addr := flag.String("addr", "127.0.0.1:9090", "address to listen on")
	flag.Parse()
	if err := run(*addr, os.Getenv("PRINTMARKET_WEBHOOK_SECRET"), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(addr, secret string, out io.Writer) error {
	c, err := newConsumer(secret, out)
	if err != nil {
		return err
	}
	socket, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "listening on http://%s\n", socket.Addr())
	server := &http.Server{Handler: c, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	return server.Serve(socket)
}

// consumer is the receiver. It knows one secret: while one takes the place of another
// the marketplace signs with both, so either will do.
type consumer struct {
	key []byte
	out io.Writer
	now func() time.Time

	mu sync.Mutex
	// seen are ids of events that have been dealt with. A real one keeps them where
	// it keeps what it does with them, and commits both together.
	seen map[string]bool
}

func newConsumer(secret string, out io.Writer) (*consumer, error) {
	encoded, found := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !found || err != nil || len(key) == 0 {
		return nil, errors.New("PRINTMARKET_WEBHOOK_SECRET is no secret: it begins with whsec_")
	}
	return &consumer{key: key, out: out, now: time.Now, seen: map[string]bool{}}, nil
}

// event is what every event has. It is thin: fetch what it is about, with your API
// key, for the truth.
type event struct {
	ID        string            `json:"id"`
	Type      string            `json:"type"`
	Timestamp time.Time         `json:"timestamp"`
	Data      map[string]string `json:"data"`
	Links     map[string]string `json:"links"`
}

func (c *consumer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	if err := c.verify(r.Header, body); err != nil {
		// The response does not reveal which check failed.
		http.Error(w, "not signed by the marketplace", http.StatusUnauthorized)
		return
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		http.Error(w, "not an event", http.StatusBadRequest)
		return
	}
	c.take(e)
	// Longer work belongs behind the answer: after 15 seconds it is a failure.
	w.WriteHeader(http.StatusNoContent)
}

// verify checks the signature of Standard Webhooks, over the id, the time and the
// bytes that came.
func (c *consumer) verify(header http.Header, body []byte) error {
	sent, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return err
	}
	if age := c.now().Sub(time.Unix(sent, 0)); age.Abs() > tolerance {
		return errors.New("the timestamp is too old, or ahead")
	}
	mac := hmac.New(sha256.New, c.key)
	fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), header.Get("webhook-timestamp"), body)
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		encoded, known := strings.CutPrefix(signature, "v1,")
		given, err := base64.StdEncoding.DecodeString(encoded)
		if known && err == nil && hmac.Equal(given, mac.Sum(nil)) {
			return nil
		}
	}
	return errors.New("no signature fits")
}

// take does an event once, however often it comes: deliveries are repeated when an
// answer is lost, and in no promised order.
func (c *consumer) take(e event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen[e.ID] {
		return
	}
	c.seen[e.ID] = true
	fmt.Fprintf(c.out, "%s %s %s\n", e.ID, e.Type, e.Links["self"])
}
