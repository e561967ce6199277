// SPDX-License-Identifier: Apache-2.0

//go:build !race

package planes

// mixEights is [mix] for slices of one length, a multiple of eight.
//
//go:noescape
func mixEights(to, cover []uint8, v uint8)
