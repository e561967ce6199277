// SPDX-License-Identifier: Apache-2.0

// Package xjmf receives status callbacks from the machines of partners.
//
// A callback is an XJMF document with a valid signature. [Read] converts it to a
// [Delivery] and rejects everything outside of the external vocabulary of XJMF 2.2, with
// the place of each fault. [Receiver.Receive] stores and applies a callback once: a sender
// that repeats it gets the original response.
//
// A [NodeStatus] is the progress of a job, from a closed list. Only its parser creates one, so
// words of the workflow of a marketplace or of JMF 1 never become a status.
//
// [Advance] decides whether an update becomes the [State] of its job. Updates are applied
// in the order of their events, and a job that has ended stays ended. In every case the
// message is stored and the response reports success, because a reliable sender repeats
// its message until it succeeds.
package xjmf
