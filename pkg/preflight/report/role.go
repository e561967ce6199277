// SPDX-License-Identifier: Apache-2.0

package report

import (
	"fmt"
	"slices"
)

// Role is the use of an ink or a layer that is no part of the artwork: a tool follows it, a
// separate pass prints it, or people read it. The zero Role is artwork.
type Role string

// The roles.
const (
	RoleCut       Role = "cut"
	RoleCrease    Role = "crease"
	RolePerforate Role = "perforate"
	RoleDrill     Role = "drill"
	RoleGlue      Role = "glue"
	RoleWhite     Role = "white"
	RoleVarnish   Role = "varnish"
	RoleFoil      Role = "foil"
	RoleEmboss    Role = "emboss"
	RoleBraille   Role = "braille"
	// RoleLegend is text and dimensions that explain the product, and places for other elements.
	RoleLegend Role = "legend"
	// RoleTechnical is any other technical use, such as areas without varnish.
	RoleTechnical Role = "technical"
)

// Roles lists the roles.
func Roles() []Role {
	return []Role{
		RoleCut, RoleCrease, RolePerforate, RoleDrill, RoleGlue, RoleWhite, RoleVarnish, RoleFoil, RoleEmboss, RoleBraille, RoleLegend, RoleTechnical,
	}
}

// ParseRole reads a role.
func ParseRole(text string) (Role, error) {
	if r := Role(text); slices.Contains(Roles(), r) {
		return r, nil
	}
	return "", fmt.Errorf("%w: unknown role %q", ErrInvalid, text)
}

// Line reports whether a tool follows the lines of the role.
func (r Role) Line() bool {
	switch r {
	case RoleCut, RoleCrease, RolePerforate:
		return true
	default:
		return false
	}
}
