// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// redacted stands for a key wherever something that holds one is printed.
const redacted = "[redacted]"

// Key gives the API key for an attempt. [APIKey] makes one of a text that stays
// as it is; a function with this signature is one too, and may read the key from
// where it is rotated: it is asked before each attempt, with the context of the
// call, and may be asked by several calls at once.
//
// A Key prints as [redacted], however deep it lies in what is printed.
type Key func(ctx context.Context) (string, error)

// APIKey is a key that does not change. White space around it is left out, so
// that the content of a file will do.
func APIKey(text string) Key {
	// A closure, because fmt prints unexported fields without asking them.
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

// maxKey bounds a key; ours are shorter.
const maxKey = 512

// reveal asks for the key and checks that it can be sent.
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

// visible reports whether a text is not empty and of visible ASCII alone.
func visible(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return false
		}
	}
	return text != ""
}
