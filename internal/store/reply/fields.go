// SPDX-License-Identifier: Apache-2.0

package reply

import (
	"database/sql"
	"errors"
)

// Fields reads the columns of a row whose values have a form of their own. What
// is not of that form is noted rather than told to the database driver, whose
// error could not be told from a database that has failed.
type Fields struct{ faults []error }

// Fault is what was wrong with the columns read so far; nil for nothing.
func (f *Fields) Fault() error { return errors.Join(f.faults...) }

// Of reads one column into a value.
func (f *Fields) Of(into sql.Scanner) sql.Scanner { return field{f, into} }

// Maybe reads one column that may be NULL, for which into stays nil.
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

// Scan is part of sql.Scanner. It never fails.
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

// Scan is part of sql.Scanner.
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
