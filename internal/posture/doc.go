// SPDX-License-Identifier: Apache-2.0

// Package posture compiles manifests into access decisions: who may do what now, and
// the reason for each refusal.
//
// [Compile] reads the custom resources and the resolved secrets and returns a
// [Snapshot], an immutable value without a clock or I/O. Replicas that compiled the
// same objects have equal snapshots. A request is decided in two calls:
//
//	caller, reason := snapshot.Authenticate(key, connection, now)
//	decision := snapshot.Decide(caller, posture.RFQCreate, true, now)
//
// Access is closed by default. The nil Snapshot, the zero Caller, the zero Decision and
// NoCapability are all closed, and no object can open a capability beyond the ceiling
// in [Capability.Definition]. The table in decide.go defines the order in which reasons
// are checked. The table in registry.go lists the capabilities.
//
// A source (a directory, a cluster) publishes snapshots to [Gates]. Request handlers
// read the current snapshot from Gates.
package posture
