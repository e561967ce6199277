// SPDX-License-Identifier: Apache-2.0

package pack

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// zip reads a ZIP file. It does not trust the sizes that the file states.
func (r *reader) zip(body []byte) error {
	archive, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	for _, file := range archive.File {
		if !local(strings.TrimSuffix(file.Name, "/")) {
			return fmt.Errorf("%w: %.80q leaves the package", ErrName, file.Name)
		}
		if strings.HasSuffix(file.Name, "/") {
			if r.entries++; r.entries > r.limits.Entries {
				return fmt.Errorf("%w: more than %d entries", ErrLimit, r.limits.Entries)
			}
			continue
		}
		if err := r.entry(file.Name); err != nil {
			return err
		}
		const encrypted = 1 // general purpose flag, bit 0
		if file.Flags&encrypted != 0 {
			return fmt.Errorf("%w: %.80q", ErrEncrypted, file.Name)
		}
		if !isDocument(file.Name) {
			continue
		}
		text, err := r.expand(file)
		if err == nil {
			err = r.document(file.Name, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// expand decompresses an entry up to the limits.
func (r *reader) expand(file *zip.File) ([]byte, error) {
	content, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %.80q: %w", ErrFormat, file.Name, err)
	}
	defer func() { _ = content.Close() }()
	const free = 64 << 10
	most := r.limits.Document.Bytes
	// The size is stated by the file, but it bounds what was read of it.
	byRatio := free + int(min(file.CompressedSize64, uint64(r.limits.Bytes)))*r.limits.Ratio
	text, err := io.ReadAll(io.LimitReader(content, int64(min(most, byRatio))+1))
	switch {
	case len(text) > byRatio:
		return nil, fmt.Errorf("%w: %.80q expands more than %d times", ErrLimit, file.Name, r.limits.Ratio)
	case len(text) > most:
		return nil, fmt.Errorf("%w: %.80q has more than %d bytes", ErrLimit, file.Name, most)
	case err != nil:
		return nil, fmt.Errorf("%w: %.80q: %w", ErrFormat, file.Name, err)
	}
	return text, nil
}
