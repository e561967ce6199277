// SPDX-License-Identifier: Apache-2.0

// Package xjmf receives status callbacks from the machines of partners.
//
// A callback is an XJMF document with a valid signature. [Read] converts it to a
// [Delivery] and rejects everything outside of the external vocabulary of XJMF 2.2, with
// the place of each fault. [Receiver.Receive] stores and applies a callback once: a sender
// that repeats it gets the original response.
//
// Three kinds of status are three types. A [NodeStatus] is the progress of a job and a
// [DeviceStatus] the activity of a device; both are closed lists, and only their parsers
// create them. A [Stage] is the position of an order in our own workflow. A Stage converts
// to the status that a partner may see; no status converts to a Stage.
//
// [Advance] decides whether an update becomes the [State] of its job. Updates are applied
// in the order of their events, and a job that has ended stays ended. In every case the
// message is stored and the response reports success, because a reliable sender repeats
// its message until it succeeds.
package xjmf
