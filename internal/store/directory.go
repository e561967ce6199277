// SPDX-License-Identifier: Apache-2.0

package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/preflightjob"
	"github.com/printmarket/printmarket/internal/recordid"
)

// Directory stores the bytes of uploaded files in one directory, which several processes may
// share. The names of files are ids, never a text of a client, and the directory is an
// [os.Root], so no name leads out of it. Directory is safe for concurrent use.
type Directory struct {
	root *os.Root
	// copy is [io.Copy], except in tests.
	copy func(io.Writer, io.Reader) (int64, error)
}

var _ preflightjob.FileStorage = (*Directory)(nil)

// partial ends the names of incomplete files.
const partial = ".part"

// OpenDirectory opens an existing directory.
func OpenDirectory(path string) (*Directory, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("open the directory of files: %w", err)
	}
	return &Directory{root: root, copy: io.Copy}, nil
}

// Close closes the directory.
func (d *Directory) Close() error { return d.root.Close() }

// Put implements [preflightjob.FileStorage]. It writes a temporary name, syncs the file,
// renames it and syncs the directory.
func (d *Directory) Put(id string, content io.Reader, check func(*os.File) error) (err error) {
	if !recordid.Valid(preflightjob.FilePrefix, id) {
		return fmt.Errorf("store file: %w: %q is no id", fs.ErrInvalid, id)
	}
	temporary := id + partial
	defer func() {
		if err != nil {
			err = errors.Join(err, d.remove(temporary), d.remove(id))
		}
	}()
	if err := d.fill(temporary, content); err != nil {
		return err
	}
	complete, err := d.root.Open(temporary)
	if err != nil {
		return err
	}
	defer func() { _ = complete.Close() }()
	if err := check(complete); err != nil {
		return err
	}
	if err := d.root.Rename(temporary, id); err != nil {
		return err
	}
	return d.sync()
}

// fill writes and syncs a new file. Only the group of the process may read it, too.
func (d *Directory) fill(name string, content io.Reader) (err error) {
	file, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := d.copy(file, content); err != nil {
		return err
	}
	return file.Sync()
}

func (d *Directory) sync() error {
	directory, err := d.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// Open implements [preflightjob.FileStorage].
func (d *Directory) Open(id string) (*os.File, error) {
	if !recordid.Valid(preflightjob.FilePrefix, id) {
		return nil, fs.ErrNotExist
	}
	return d.root.Open(id)
}

// Remove implements [preflightjob.FileStorage].
func (d *Directory) Remove(id string) error {
	if !recordid.Valid(preflightjob.FilePrefix, id) {
		return nil
	}
	return d.remove(id)
}

func (d *Directory) remove(name string) error {
	if err := d.root.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Stored implements [preflightjob.FileStorage]. It ignores names that are no ids.
func (d *Directory) Stored(before time.Time, after string, limit int) ([]string, error) {
	entries, err := fs.ReadDir(d.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, entry := range entries {
		id, incomplete := strings.CutSuffix(entry.Name(), partial)
		if !recordid.Valid(preflightjob.FilePrefix, id) || !incomplete && id <= after {
			continue
		}
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue // another process removed it
		case err != nil:
			return nil, err
		case !info.ModTime().Before(before):
			continue
		case !incomplete:
			ids = append(ids, id)
		default:
			if err := d.remove(entry.Name()); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), limit)], nil
}
