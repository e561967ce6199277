// SPDX-License-Identifier: Apache-2.0

// Package xjmf is what partners' machines tell of their work.
//
// A callback is an XJMF document whose signature holds. [Read] makes a
// [Delivery] of it and refuses what is not in the external vocabulary of XJMF
// 2.2, with the place of each fault. [Receiver.Receive] stores it and applies
// it, once: a sender that did not hear the answer sends again, and gets the
// answer of the first time.
//
// Three kinds of status are three types. A [NodeStatus] is how far a job is and
// a [DeviceStatus] what a device does; both are closed lists, and only their
// parsers make them. A [Stage] is where an order is in our own workflow; it can
// be turned into what a partner may see, and nothing can be turned into it.
//
// What a message says of a job becomes its [State] if [Advance] lets it: by the
// order of events, and because what has ended stays so. Whatever comes of it,
// the message is stored and answered with success, or a reliable sender would
// send it for ever.
package xjmf
