// SPDX-License-Identifier: Apache-2.0

package store

import (
	"database/sql"
	"errors"
)

// Fields reads columns whose values have a format, such as an id. It collects the values
// that do not have it instead of returning them to the database driver, whose error would
// look like a failure of the database.
type Fields struct{ faults []error }

// Fault returns the errors of the columns read so far, joined.
func (f *Fields) Fault() error { return errors.Join(f.faults...) }

// Of returns a scanner that reads one column into a value.
func (f *Fields) Of(into sql.Scanner) sql.Scanner { return field{f, into} }

// Maybe returns a scanner that reads one column that may be NULL; then *into is nil.
func Maybe[T any, P interface {
	*T
	sql.Scanner
}](f *Fields, into **T) sql.Scanner {
	return field{f, maybe[T, P]{into}}
}

type field struct {
	fields *Fields
	into   sql.Scanner
}

// Scan implements sql.Scanner. It never fails.
func (f field) Scan(stored any) error {
	if err := f.into.Scan(stored); err != nil {
		f.fields.faults = append(f.fields.faults, err)
	}
	return nil
}

type maybe[T any, P interface {
	*T
	sql.Scanner
}] struct{ into **T }

// Scan implements sql.Scanner.
func (m maybe[T, P]) Scan(stored any) error {
	*m.into = nil
	if stored == nil {
		return nil
	}
	value := P(new(T))
	if err := value.Scan(stored); err != nil {
		return err
	}
	*m.into = (*T)(value)
	return nil
}
