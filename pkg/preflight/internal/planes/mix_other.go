// SPDX-License-Identifier: Apache-2.0

//go:build !amd64 || race

package planes

// mixEights is [mix] for slices of one length, a multiple of eight.
func mixEights(to, cover []uint8, v uint8) { mixEightsInGo(to, cover, v) }
