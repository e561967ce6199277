// SPDX-License-Identifier: Apache-2.0

// Package resources writes costed resources (L4 of the master data) as resource
// sets of XJDF 2.2, so that the systems of a printer can read what a marketplace
// holds of their media and machines.
//
// A resource is named by Resource/@ID, which is the identifier of the master data,
// byte for byte. Nothing is made up beside that: what the master data do not say is
// not written, a size is written from explicit dimensions alone, and a value that
// cannot stand where the standard has a token is written as a GeneralID. Prices,
// rates and what a device uses up stay where they are, and so does everything that
// nobody has checked for a device, as DeviceClass and ICSVersions.
package resources
