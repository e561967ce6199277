// SPDX-License-Identifier: Apache-2.0

// Package tenant identifies the owner of a record.
//
// Every row that the platform stores and every read of one is made for an
// [ID]: an organization in one mode. Test keys and live keys of one
// organization are two tenants, so sandbox data can never be read with a live
// key, nor the reverse. Store methods take an ID, never a bare organization.
package tenant

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Mode is the kind of key that a request was made with; it is visible in the
// key's prefix (interface specification, section 5).
type Mode string

const (
	// Test is the sandbox: simulated suppliers, no real print.
	Test Mode = "test"
	// Live is production.
	Live Mode = "live"
)

// ParseMode parses "test" or "live". It returns [ErrInvalid] for any other text.
func ParseMode(text string) (Mode, error) {
	switch mode := Mode(text); mode {
	case Test, Live:
		return mode, nil
	default:
		return "", fmt.Errorf("%w: mode %q is neither test nor live", ErrInvalid, text)
	}
}

// ErrInvalid is the error of every failed parse in this package.
var ErrInvalid = errors.New("invalid tenant")

// organization is the form that the PartnerEntitlement schema enforces for
// spec.organizationID; a test keeps the two equal.
var organization = regexp.MustCompile(`^org_[A-Za-z0-9]{6,32}$`)

// ID names an organization in one mode. The zero ID owns nothing.
type ID struct {
	Organization string
	Mode         Mode
}

// New checks both members. It fails with [ErrInvalid].
func New(org string, mode Mode) (ID, error) {
	if !organization.MatchString(org) {
		return ID{}, fmt.Errorf("%w: organization %q", ErrInvalid, org)
	}
	if _, err := ParseMode(string(mode)); err != nil {
		return ID{}, err
	}
	return ID{Organization: org, Mode: mode}, nil
}

// Parse reads the form that [ID.String] writes, "org_acme01/live".
func Parse(text string) (ID, error) {
	org, mode, found := strings.Cut(text, "/")
	if !found {
		return ID{}, fmt.Errorf("%w: %q has no mode", ErrInvalid, text)
	}
	return New(org, Mode(mode))
}

// String is the canonical form, used as a key in queues and logs.
func (id ID) String() string { return id.Organization + "/" + string(id.Mode) }

// Scan implements [database/sql.Scanner]: a database keeps the canonical form.
func (id *ID) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("%w: a %T in the database", ErrInvalid, stored)
	}
	parsed, err := Parse(text)
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// IsZero reports whether the ID owns nothing.
func (id ID) IsZero() bool { return id == ID{} }
