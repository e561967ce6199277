// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// FilePrefix begins the ids of uploaded files.
const FilePrefix recordid.Prefix = "file_"

// removeBatch is the number of ids that [Files.RemoveBytes] reads at once.
const removeBatch = 500

// MinUse is the number of bytes that the limit of an organization counts for a smaller file. It
// limits the number of files.
const MinUse = 64 << 10

// strayAge is the age at which stored bytes without a row are removed. It exceeds the time
// between the last byte of an upload and its row: the scan of the file.
const strayAge = 2 * time.Hour

// FileKind states what a stored file holds. Each kind has its own limit for an organization.
type FileKind string

// The kinds.
const (
	// PartnerFile is an uploaded or fixed file, which its owner can read and submit.
	PartnerFile FileKind = ""
	// PictureFile is a set of pictures of package pageimage. Only its job refers to it, and it
	// expires with the job.
	PictureFile FileKind = "pictures"
)

// File describes a stored file.
type File struct {
	ID     string
	Kind   FileKind
	Tenant tenant.ID
	// SHA256 is the digest of the stored bytes in hexadecimal digits.
	SHA256    string
	Bytes     int64
	CreatedAt time.Time
	// ExpiresAt is the first instant at which the file cannot be submitted any more.
	ExpiresAt time.Time
}

// FileStore stores the rows of uploaded files. Every method may return
// transaction.UnavailableError.
type FileStore interface {
	// AddFile adds a row. It returns [StorageExceededError] if the files of this kind of the
	// organization, both modes together, would use more than most bytes. A file uses
	// [MinUse] or more.
	AddFile(ctx context.Context, file File, most int64) error
	// File returns a row, also of an expired file, or transaction.ErrNotFound.
	File(ctx context.Context, owner tenant.ID, id string) (File, error)
	// FileUse returns the bytes that all files of a kind of an organization use and the time at
	// which the first of them expires.
	FileUse(ctx context.Context, organization string, kind FileKind) (FileUse, error)
	// FilesOf returns the ids of up to limit files of a tenant after an id, in their order.
	FilesOf(ctx context.Context, owner tenant.ID, after string, limit int) ([]string, error)
	// ExpiredFiles returns the ids of up to limit files that expired by now and that no open
	// job uses.
	ExpiredFiles(ctx context.Context, now time.Time, limit int) ([]string, error)
	// KnownFiles returns those of the ids that have a row.
	KnownFiles(ctx context.Context, ids []string) ([]string, error)
	// DeleteFiles deletes rows; ids without a row have no effect.
	DeleteFiles(ctx context.Context, ids []string) error
}

// FileUse holds the use of storage by an organization.
type FileUse struct {
	Bytes int64
	// Frees is the time at which the next file expires; zero without files.
	Frees time.Time
}

// FileStorage stores the bytes of uploaded files under their ids.
type FileStorage interface {
	// Put stores content under an id that is not in use. It calls check with the complete file,
	// opened for reading, before the file gets its id. After an error nothing is stored. Put
	// returns errors of content and of check unchanged.
	Put(id string, content io.Reader, check func(*os.File) error) error
	// Open opens a file for reading. It returns fs.ErrNotExist if there is none.
	Open(id string) (*os.File, error)
	// Remove removes a file; an id without a file has no effect.
	Remove(id string) error
	// Stored returns the ids of up to limit files last written before an instant, after an id
	// in their order. It removes what incomplete calls of Put left before the instant.
	Stored(before time.Time, after string, limit int) ([]string, error)
}

// FileScanner checks uploaded files for viruses.
type FileScanner interface {
	// Scan reports whether a file is clean. It reads the file from its offset.
	Scan(ctx context.Context, file *os.File) (clean bool, err error)
}

var (
	// ErrFilesDisabled means that this installation accepts no uploads.
	ErrFilesDisabled = errors.New("this installation accepts no uploads")
	// ErrFileEmpty means that an upload has no bytes.
	ErrFileEmpty = errors.New("the file is empty")
	// ErrFileTooLarge means that an upload is larger than [FilesConfig.MaxBytes].
	ErrFileTooLarge = errors.New("the file is too large")
	// ErrFileInfected means that the scanner rejects an upload.
	ErrFileInfected = errors.New("the scanner rejects the file")
	// ErrFileForbidden means that the owner lost its access during an upload.
	ErrFileForbidden = errors.New("access ended during the upload")
	// ErrFileMissing means that the bytes of a file are gone: it was deleted, or has expired.
	ErrFileMissing = errors.New("the uploaded file does not exist any more")
)

// StorageExceededError means that an organization has no room for another file.
type StorageExceededError struct {
	Kind  FileKind
	Limit int64
	FileUse
	// Wait is the time until the next file expires, 1 s to 24 h. [Files] sets it.
	Wait time.Duration
}

func (e *StorageExceededError) Error() string {
	return fmt.Sprintf("organization has stored %d of %d bytes", e.Bytes, e.Limit)
}

// FileFaultError means that the storage or the scanner failed.
type FileFaultError struct{ Err error }

func (e *FileFaultError) Error() string { return "uploaded files: " + e.Err.Error() }

func (e *FileFaultError) Unwrap() error { return e.Err }

// FilesConfig holds the dependencies and settings of [Files]. Members are required unless
// their comment describes the zero value.
type FilesConfig struct {
	Store FileStore
	// Storage is nil if uploads are disabled.
	Storage FileStorage
	// Scanner is nil if files are not scanned.
	Scanner FileScanner
	// MaxBytes is the maximum size of a file, MaxStored that of all files of an organization
	// and a kind.
	MaxBytes, MaxStored int64
	// Lifetime is the time after which a file expires.
	Lifetime time.Duration
	Now      func() time.Time
	// Random is the source of ids. It must be safe for concurrent use.
	Random io.Reader
}

// Files stores uploaded files for the jobs of their owners. It never parses them. It is safe
// for concurrent use.
type Files struct{ config FilesConfig }

// NewFiles returns Files with the given dependencies.
func NewFiles(config FilesConfig) *Files { return &Files{config} }

// Upload is one file to store.
type Upload struct {
	Content io.Reader
	// Bytes is the announced size; -1 if it is unknown.
	Bytes int64
	// Allowed reports, when the file is complete, whether the owner may still store it.
	Allowed func() bool
}

// Upload stores a file. It returns the errors of this file, errors of reading the content
// unchanged, and transaction.UnavailableError. After an error no bytes are left.
func (f *Files) Upload(ctx context.Context, owner tenant.ID, upload Upload) (File, error) {
	if err := f.room(ctx, owner, PartnerFile, upload.Bytes); err != nil {
		return File{}, err
	}
	file, err := f.put(ctx, owner, PartnerFile, upload.Content)
	if err != nil {
		return File{}, err
	}
	err = ErrFileForbidden
	if upload.Allowed() {
		err = f.timed(f.config.Store.AddFile(ctx, file, f.config.MaxStored))
	}
	if err != nil {
		// Whether or not the row was committed, the owner never learns the id.
		return File{}, fmt.Errorf("upload file: %w", errors.Join(err, f.config.Storage.Remove(file.ID)))
	}
	return file, nil
}

// Keep stores the bytes of a fixed file or of pictures, at most bytes. The row of the file is added
// when its job ends. Keep returns the errors of Upload; callers remove the bytes of a job that does
// not end with the file by [Files.Discard], or leave them to the sweeper.
func (f *Files) Keep(ctx context.Context, owner tenant.ID, kind FileKind, content io.Reader, bytes int64) (File, error) {
	if err := f.room(ctx, owner, kind, bytes); err != nil {
		return File{}, err
	}
	return f.put(ctx, owner, kind, content)
}

// Discard removes the bytes of a file without a row.
func (f *Files) Discard(file File) error {
	if err := f.config.Storage.Remove(file.ID); err != nil {
		return &FileFaultError{Err: err}
	}
	return nil
}

// Disabled reports whether this installation stores no files.
func (f *Files) Disabled() bool { return f.config.Storage == nil }

// room returns an error if a file cannot be stored.
func (f *Files) room(ctx context.Context, owner tenant.ID, kind FileKind, bytes int64) error {
	if f.Disabled() {
		return ErrFilesDisabled
	}
	if bytes > f.config.MaxBytes {
		return ErrFileTooLarge
	}
	use, err := f.config.Store.FileUse(ctx, owner.Organization, kind)
	if err != nil {
		return fmt.Errorf("upload file: %w", err)
	}
	if use.Bytes+max(bytes, MinUse) > f.config.MaxStored {
		return f.timed(&StorageExceededError{Kind: kind, Limit: f.config.MaxStored, FileUse: use})
	}
	return nil
}

// put stores the bytes of a file under a new id.
func (f *Files) put(ctx context.Context, owner tenant.ID, kind FileKind, from io.Reader) (file File, err error) {
	file = File{Kind: kind, Tenant: owner, CreatedAt: f.now()}
	if file.ID, err = recordid.New(FilePrefix, file.CreatedAt, f.config.Random); err != nil {
		return File{}, err
	}
	content := &measured{from: from, most: f.config.MaxBytes, digest: sha256.New()}
	if err := f.config.Storage.Put(file.ID, content, func(stored *os.File) error { return f.check(ctx, content, stored) }); err != nil {
		if content.err != nil || errors.Is(err, ErrFileEmpty) || errors.Is(err, ErrFileInfected) {
			return File{}, fmt.Errorf("upload file: %w", err)
		}
		return File{}, &FileFaultError{Err: err} // the error is not about the content
	}
	file.SHA256, file.Bytes, file.ExpiresAt = hex.EncodeToString(content.digest.Sum(nil)), content.bytes, f.now().Add(f.config.Lifetime)
	return file, nil
}

// timed sets the time to wait in a [StorageExceededError].
func (f *Files) timed(err error) error {
	if exceeded, ok := errors.AsType[*StorageExceededError](err); ok {
		exceeded.Wait = min(max(time.Second, exceeded.Frees.Sub(f.now())), 24*time.Hour)
	}
	return err
}

// check checks a complete file before it gets its id.
func (f *Files) check(ctx context.Context, content *measured, stored *os.File) error {
	if content.bytes == 0 {
		return ErrFileEmpty
	}
	if f.config.Scanner == nil {
		return nil
	}
	clean, err := f.config.Scanner.Scan(ctx, stored)
	switch {
	case err != nil:
		return fmt.Errorf("scan file: %w", err)
	case !clean:
		return ErrFileInfected
	default:
		return nil
	}
}

// measured counts and digests the bytes of an upload, and keeps the error of reading them.
type measured struct {
	from   io.Reader
	most   int64
	bytes  int64
	digest hash.Hash
	err    error
}

// Read implements io.Reader.
func (m *measured) Read(into []byte) (int, error) {
	n, err := m.from.Read(into)
	_, _ = m.digest.Write(into[:n]) // cannot fail
	if m.bytes += int64(n); m.bytes > m.most {
		err = ErrFileTooLarge
	}
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// Get returns a file that has not expired, or transaction.ErrNotFound.
func (f *Files) Get(ctx context.Context, owner tenant.ID, id string) (File, error) {
	if f.Disabled() {
		return File{}, ErrFilesDisabled
	}
	file, err := f.owned(ctx, owner, PartnerFile, id)
	if err != nil {
		return File{}, fmt.Errorf("get file: %w", err)
	}
	if !f.now().Before(file.ExpiresAt) {
		return File{}, fmt.Errorf("get file: it has expired: %w", transaction.ErrNotFound)
	}
	return file, nil
}

// owned returns a file of a kind and an owner, also an expired one.
func (f *Files) owned(ctx context.Context, owner tenant.ID, kind FileKind, id string) (File, error) {
	if !recordid.Valid(FilePrefix, id) {
		return File{}, transaction.ErrNotFound
	}
	file, err := f.config.Store.File(ctx, owner, id)
	if err == nil && file.Kind != kind {
		return File{}, transaction.ErrNotFound
	}
	return file, err
}

// Delete removes a file that has not expired: first its bytes, then its row.
func (f *Files) Delete(ctx context.Context, owner tenant.ID, id string) error {
	if _, err := f.Get(ctx, owner, id); err != nil {
		return err
	}
	return f.remove(ctx, []string{id})
}

// remove removes files in an order that can be repeated after a failure.
func (f *Files) remove(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if err := f.config.Storage.Remove(id); err != nil {
			return &FileFaultError{Err: err}
		}
	}
	if err := f.config.Store.DeleteFiles(ctx, ids); err != nil {
		return fmt.Errorf("delete files: %w", err)
	}
	return nil
}

// Open opens the file of a job for reading. A job that was submitted in time reads its file
// also after it has expired. Open returns [ErrFileMissing] for a deleted file and for one of
// another tenant.
func (f *Files) Open(ctx context.Context, owner tenant.ID, id string) (*os.File, error) {
	_, content, err := f.open(ctx, owner, PartnerFile, id)
	return content, err
}

func (f *Files) open(ctx context.Context, owner tenant.ID, kind FileKind, id string) (File, *os.File, error) {
	if f.Disabled() {
		return File{}, nil, &FileFaultError{Err: ErrFilesDisabled}
	}
	file, err := f.owned(ctx, owner, kind, id)
	if errors.Is(err, transaction.ErrNotFound) {
		return File{}, nil, ErrFileMissing
	}
	if err != nil {
		return File{}, nil, fmt.Errorf("open file: %w", err)
	}
	content, err := f.config.Storage.Open(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return File{}, nil, ErrFileMissing
	case err != nil:
		return File{}, nil, &FileFaultError{Err: err}
	default:
		return file, content, nil
	}
}

// Purge removes at most limit expired files that no open job uses, and returns their number.
// Callers repeat it until it returns 0.
func (f *Files) Purge(ctx context.Context, limit int) (int, error) {
	if f.Disabled() {
		return 0, nil
	}
	expired, err := f.config.Store.ExpiredFiles(ctx, f.now(), limit)
	if err != nil {
		return 0, fmt.Errorf("purge files: %w", err)
	}
	return len(expired), f.remove(ctx, expired)
}

// PurgeStrays removes bytes that have no row: a process ended between the two, or a row was
// erased. It reads the storage in batches.
func (f *Files) PurgeStrays(ctx context.Context, batch int) error {
	if f.Disabled() {
		return nil
	}
	before := f.config.Now().Add(-strayAge)
	for after := ""; ctx.Err() == nil; {
		stored, err := f.config.Storage.Stored(before, after, batch)
		if err != nil {
			return &FileFaultError{Err: err}
		}
		if len(stored) == 0 {
			return nil
		}
		known, err := f.config.Store.KnownFiles(ctx, stored)
		if err != nil {
			return fmt.Errorf("purge files: %w", err)
		}
		rows := make(map[string]bool, len(known))
		for _, id := range known {
			rows[id] = true
		}
		for _, id := range stored {
			if rows[id] {
				continue
			}
			if err := f.config.Storage.Remove(id); err != nil {
				return &FileFaultError{Err: err}
			}
		}
		after = stored[len(stored)-1]
	}
	return ctx.Err()
}

// RemoveBytes removes the bytes of all files of a tenant, whose rows an erasure deletes next.
func (f *Files) RemoveBytes(ctx context.Context, owner tenant.ID) error {
	for after := ""; ; {
		ids, err := f.config.Store.FilesOf(ctx, owner, after, removeBatch)
		if err != nil {
			return fmt.Errorf("erase files: %w", err)
		}
		if len(ids) == 0 {
			return nil
		}
		if f.Disabled() {
			return fmt.Errorf("erase files of %s: %w: set --files-dir to the directory that has them", owner, ErrFilesDisabled)
		}
		for _, id := range ids {
			if err := f.config.Storage.Remove(id); err != nil {
				return &FileFaultError{Err: err}
			}
		}
		after = ids[len(ids)-1]
	}
}

// now returns the clock in the resolution of the store.
func (f *Files) now() time.Time { return f.config.Now().UTC().Truncate(time.Millisecond) }
