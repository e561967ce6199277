// SPDX-License-Identifier: Apache-2.0

// Command server is deployed by the tests of package kubenode: a server that
// returns its name, ends as an API server must, and can consume memory.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// After SIGTERM requests are answered until none has come for as long as quiet,
// which says that every node knows that the pod ends; at most for patience.
const (
	quiet    = 3 * time.Second
	patience = 60 * time.Second
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	if len(os.Args) > 1 && os.Args[1] == "echo" {
		_, err := bufio.NewReader(os.Stdin).WriteTo(os.Stdout)
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	handler := http.NewServeMux()
	handler.HandleFunc("GET /{$}", identify)
	handler.HandleFunc("GET /lookup/{name}", lookup)
	handler.HandleFunc("GET /fetch/{address}", fetch)
	handler.HandleFunc("POST /eat/{megabytes}", eat)
	asked := make(chan struct{}, 1)
	server := &http.Server{Addr: ":8080", Handler: counted(handler, asked, ctx.Done()), ReadHeaderTimeout: 10 * time.Second}
	ended := make(chan error, 1)
	go func() { ended <- server.ListenAndServe() }()
	_, _ = fmt.Fprintln(os.Stdout, "serving version", os.Getenv("VERSION"))
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	settle(asked)
	last, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(last)
}

// counted reports each request, and closes connections of clients while the server ends.
// Probes are not clients.
func counted(next http.Handler, asked chan<- struct{}, ending <-chan struct{}) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.UserAgent(), "kube-probe/") {
			select {
			case asked <- struct{}{}:
			default:
			}
		}
		select {
		case <-ending:
			w.Header().Set("Connection", "close")
		default:
		}
		next.ServeHTTP(w, r)
	})
}

func settle(asked <-chan struct{}) {
	end := time.After(patience)
	for {
		select {
		case <-asked:
		case <-time.After(quiet):
			return
		case <-end:
			return
		}
	}
}

func identify(w http.ResponseWriter, _ *http.Request) {
	name, _ := os.Hostname()
	_, _ = fmt.Fprintf(w, "%s %s", os.Getenv("VERSION"), name)
}

func lookup(w http.ResponseWriter, r *http.Request) {
	found, err := net.DefaultResolver.LookupHost(r.Context(), r.PathValue("name"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	_, _ = fmt.Fprint(w, found[0]) //nolint:gosec // an address of our own name server, as text
}

// fetch answers with what another server says.
func fetch(w http.ResponseWriter, r *http.Request) {
	client := &http.Client{Timeout: 10 * time.Second}
	response, err := client.Get("http://" + r.PathValue("address"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(w, io.LimitReader(response.Body, 1<<10))
}

// eat keeps memory that was written to, which the kernel has to find.
func eat(w http.ResponseWriter, r *http.Request) {
	megabytes, err := strconv.Atoi(r.PathValue("megabytes"))
	if err != nil || megabytes < 1 || megabytes > 1024 {
		http.Error(w, "1 to 1024 megabytes", http.StatusBadRequest)
		return
	}
	eaten := make([]byte, megabytes<<20)
	for n := range eaten {
		eaten[n] = byte(n)
	}
	_, _ = fmt.Fprint(w, eaten[len(eaten)-1])
}
