// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// uploader posts batches of spans to a collector: OTLP over HTTP with protobuf
// bodies. OpenTelemetry's own client does the same and links gRPC (ADR 0051).
type uploader struct {
	to     *destination
	client *http.Client
	// stopped is closed when running uploads must end.
	stopped chan struct{}
}

// Start implements [otlptrace.Client].
func (u *uploader) Start(context.Context) error { return nil }

// Stop implements [otlptrace.Client], which calls it once. The batch that is
// being sent fails.
func (u *uploader) Stop(ctx context.Context) error {
	close(u.stopped)
	return ctx.Err()
}

// Bounds of the pause before a batch is sent again.
const (
	minPause = time.Second
	maxPause = 5 * time.Second
)

// UploadTraces implements [otlptrace.Client]. It retries for as long as the
// destination's timeout allows.
func (u *uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-u.stopped:
			cancel()
		case <-ctx.Done():
		}
	}()
	// TracesData has the wire format of ExportTraceServiceRequest, whose package
	// imports gRPC.
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	if u.to.gzip {
		var compressed bytes.Buffer
		writer := gzip.NewWriter(&compressed)
		_, err := writer.Write(body)
		if err = errors.Join(err, writer.Close()); err != nil {
			return fmt.Errorf("compress spans: %w", err)
		}
		body = compressed.Bytes()
	}
	began := time.Now()
	for pause := minPause; ; pause = min(pause*3/2, maxPause) {
		err := u.post(ctx, body)
		var busy *busyError
		if !errors.As(err, &busy) {
			return err
		}
		wait := max(busy.retryAfter, pause/2+rand.N(pause))
		if time.Since(began)+wait > u.to.timeout {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// maxResponse is the size of a response, in bytes, that the OTLP specification
// recommends to accept at most.
const maxResponse = 4 << 20

// post sends a batch once. Errors: [busyError] if the same batch may be sent
// again.
func (u *uploader) post(ctx context.Context, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.to.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "OTel OTLP Exporter Go/"+otlptrace.Version())
	for name, value := range u.to.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", protobufType)
	if u.to.gzip {
		request.Header.Set("Content-Encoding", "gzip")
	}
	response, err := u.client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok && failed.Temporary() {
			return &busyError{cause: err}
		}
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(http.MaxBytesReader(nil, response.Body, maxResponse))
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if response.StatusCode >= 200 && response.StatusCode <= 299 {
		if response.Header.Get("Content-Type") != protobufType {
			return nil
		}
		return rejection(text)
	}
	err = fmt.Errorf("failed to send to %s: %s (body: %s)", u.to.url, response.Status, strings.TrimSpace(string(text)))
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &busyError{cause: err, retryAfter: retryAfter(response.Header.Get("Retry-After"))}
	default:
		return err
	}
}

const protobufType = "application/x-protobuf"

// busyError is a failure that may be temporary.
type busyError struct {
	cause      error
	retryAfter time.Duration
}

func (e *busyError) Error() string { return e.cause.Error() }

func (e *busyError) Unwrap() error { return e.cause }

// retryAfter parses the seconds or the date of a Retry-After header. It returns 0 for any
// other value.
func retryAfter(header string) time.Duration {
	if seconds, err := strconv.ParseUint(header, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(header); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// rejection returns an error if an ExportTraceServiceResponse reports rejected spans of the
// batch, or if it is malformed.
func rejection(response []byte) error {
	var rejected uint64
	var reason []byte
	err := eachField(response, func(number protowire.Number, _ uint64, partial []byte) error {
		if number != 1 { // partial_success
			return nil
		}
		return eachField(partial, func(number protowire.Number, value uint64, text []byte) error {
			switch number {
			case 1: // rejected_spans
				rejected = value
			case 2: // error_message
				reason = text
			}
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("decode the response: %w", err)
	}
	if rejected > 0 || len(reason) > 0 {
		return fmt.Errorf("the collector rejected %d spans: %s", rejected, reason)
	}
	return nil
}

// eachField calls visit with each field of a protobuf message: its number, and
// its value if it is a varint or a sequence of bytes.
func eachField(message []byte, visit func(protowire.Number, uint64, []byte) error) error {
	for len(message) > 0 {
		number, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return protowire.ParseError(tag)
		}
		size := protowire.ConsumeFieldValue(number, kind, message[tag:])
		if size < 0 {
			return protowire.ParseError(size)
		}
		var value uint64
		var content []byte
		switch kind {
		case protowire.VarintType:
			value, _ = protowire.ConsumeVarint(message[tag:])
		case protowire.BytesType:
			content, _ = protowire.ConsumeBytes(message[tag:])
		}
		if err := visit(number, value, content); err != nil {
			return err
		}
		message = message[tag+size:]
	}
	return nil
}
