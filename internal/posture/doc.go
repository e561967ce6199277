// SPDX-License-Identifier: Apache-2.0

// Package posture turns manifests into decisions: who may do what, now, and if
// not, why.
//
// [Compile] reads the three custom resources and the resolved secrets and
// returns a [Snapshot]: an immutable value without clock or I/O, equal on every
// replica that saw the same objects. A request is judged in two calls:
//
//	caller, reason := snapshot.Authenticate(key, connection, now)
//	decision := snapshot.Decide(caller, posture.RFQCreate, true, now)
//
// Everything here is closed unless something opens it. The nil Snapshot, the
// zero Caller, the zero Decision and NoCapability are all closed, and no object
// can open a capability beyond the ceiling that [Capability.Definition] gives.
// The order in which reasons are tried is a table in decide.go; the list of
// capabilities is a table in registry.go.
//
// A source (a directory, a cluster) publishes snapshots to [Gates], from which
// request handlers take the current one.
package posture
