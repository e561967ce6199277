// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"

	"github.com/printmarket/printmarket/internal/credential"
)

// readInput reads a file of at most most bytes; - is standard input. what names the content in the
// error of a larger file.
func readInput(cmd *cobra.Command, name string, most int64, what string) ([]byte, error) {
	if name != "-" {
		return readFile(name, most, what)
	}
	text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), most+1))
	return text, cmp.Or(err, checkSize(text, name, most, what))
}

func readFile(name string, most int64, what string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // read only
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	return text, cmp.Or(err, checkSize(text, name, most, what))
}

func checkSize(text []byte, name string, most int64, what string) error {
	if int64(len(text)) > most {
		return fmt.Errorf("%s has more than %d bytes, the limit for the %s", name, most, what)
	}
	return nil
}

// maxCredential limits a file with a key or a secret, in bytes.
const maxCredential = 4 << 10

// readCredential reads a key or a secret from a file, or else from a variable. The line end of an
// editor does not belong to it. from names the place.
func readCredential(what, file, variable string) (secret credential.Secret, from string, err error) {
	text, from := os.Getenv(variable), variable
	if file != "" {
		content, err := readFile(file, maxCredential, what)
		if err != nil {
			return "", "", fmt.Errorf("read the %s: %w", what, err)
		}
		text, from = string(content), file
	}
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		return "", "", fmt.Errorf("no %s is given: set --%[1]s-file or %s", what, variable)
	}
	return credential.Secret(text), from, nil
}

func readSecret(file, variable string) (credential.Secret, error) {
	secret, _, err := readCredential("secret", file, variable)
	return secret, err
}

// writeTo writes to a file, or to standard output for an empty path.
func writeTo(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	if path == "" {
		return write(cmd.OutOrStdout())
	}
	return replaceFile(path, write)
}

// notAnInput rejects a path of the report that is one of the inspected files.
func notAnInput(path string, inputs []string) error {
	if path == "" {
		return nil
	}
	target, err := os.Stat(path)
	if err != nil {
		return nil //nolint:nilerr // there is nothing to overwrite
	}
	for _, input := range inputs {
		if info, err := os.Stat(input); err == nil && os.SameFile(target, info) {
			return fmt.Errorf("output file %s is the file to inspect", path)
		}
	}
	return nil
}

// replaceFile writes a file, or replaces it at once: a reader finds the old content or
// the new. It writes to a path that is no regular file, such as a terminal.
func replaceFile(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(file), file.Close())
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	// The user's umask decides about the permissions, as for any other file of theirs.
	pending, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666), renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return err
	}
	defer func() { _ = pending.Cleanup() }() // after the replacement there is nothing to remove
	if err := write(pending); err != nil {
		return fmt.Errorf("write output file: %w", err)
	}
	return pending.CloseAtomicallyReplace()
}
