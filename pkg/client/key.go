// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// redacted replaces a key in output.
const redacted = "[redacted]"

// Key returns the API key for an attempt. [APIKey] makes one from a fixed text. Your
// own function can read a key that is rotated: the client calls it before each attempt
// with the context of the call, also concurrently.
//
// A Key prints as [redacted], also within other values.
type Key func(ctx context.Context) (string, error)

// APIKey returns a key that does not change. It trims white space, so that you can pass
// the content of a file.
func APIKey(text string) Key {
	// A closure, because fmt prints unexported fields without their methods.
	text = strings.TrimSpace(text)
	return func(context.Context) (string, error) { return text, nil }
}

// String hides the key.
func (Key) String() string { return redacted }

// GoString hides the key.
func (Key) GoString() string { return redacted }

// Format hides the key from every verb.
func (Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// LogValue hides the key from logs.
func (Key) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText hides the key from encoders, JSON included.
func (Key) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// maxKey bounds a key; the keys of the API are shorter.
const maxKey = 512

// reveal calls the function and validates the key.
func (k Key) reveal(ctx context.Context) (string, error) {
	text, err := k(ctx)
	if err != nil {
		return "", &KeyError{Err: err}
	}
	if !visible(text) || len(text) > maxKey {
		return "", &ArgumentError{Argument: "key", Reason: fmt.Sprintf("is not 1 to %d visible ASCII characters", maxKey)}
	}
	return text, nil
}

// visible reports whether a text is not empty and has only visible ASCII characters.
func visible(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != ""
}
