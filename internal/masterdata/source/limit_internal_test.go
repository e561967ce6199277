// SPDX-License-Identifier: Apache-2.0

package source

import (
	"bufio"
	"errors"
	"io"
	"testing"
)

func TestOversizedDocumentIsNotWritten(t *testing.T) {
	t.Parallel()
	of := func(size int) func(*bufio.Writer) error {
		return func(w *bufio.Writer) error {
			_, err := w.Write(make([]byte, size))
			return err
		}
	}
	if err := limited(io.Discard, MaxFile, of(MaxFile)); err != nil {
		t.Errorf("limited: %v", err)
	}
	if err := limited(io.Discard, MaxFile, of(MaxFile+1)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error = %v, want ErrTooLarge", err)
	}
}
