// SPDX-License-Identifier: Apache-2.0

// Package xjmf sends jobs to devices with XJMF 2.2, and receives what devices report.
//
// XJDF describes a job; XJMF moves it. A controller, such as an MIS or a print shop's
// workflow, posts messages to the URL of a device: a press, a RIP, a folder. A device
// answers each query and command at once with a response, whose return code says whether
// it accepted the message. Three exchanges make up most of the traffic:
//
//   - The controller submits a job to the queue of the device ([Client.Submit]), and the
//     device answers with a [QueueEntry]. Its ID identifies the job from then on.
//   - The controller subscribes to signals ([Client.Subscribe]). The device then posts a
//     signal to the controller whenever its state ([SignalStatus]), its queue
//     ([SignalQueueStatus]) or its resources ([SignalResource]) change.
//   - The device returns a job that has ended ([Return]), with what it produced.
//
// So a controller is a client and a server. [Client] sends the messages to one device, and
// [Receiver] is the handler for what all devices send back:
//
//	receiver, err := xjmf.NewReceiver(xjmf.ReceiverConfig{URL: "https://mis.example/xjmf", DeviceID: "MIS", Now: time.Now})
//	client, err := xjmf.NewClient(xjmf.ClientConfig{URL: "https://press.example/xjmf", DeviceID: "MIS", Encoding: xjdf.XML, Now: time.Now})
//	channel, err := client.Subscribe(ctx, receiver, &xjmf.QueryStatus{}, handle)
//	entry, err := client.Submit(ctx, xjmf.Submission{Job: job, Params: xjmf.QueueSubmissionParams{ReturnJMF: "https://mis.example/xjmf"}})
//
// # States
//
// A job is Waiting, then InProgress, perhaps with Setup and Cleanup, and ends as Completed
// or Aborted; it may be Suspended or Stopped on the way ([Status]). A device has states of
// its own ([DeviceStatus]).
//
// # Gangs
//
// A gang is a set of jobs that a device produces together, such as business cards on one
// sheet. A submission names its gang and a [GangPolicy]; the device collects the jobs until
// enough have come, or until [Client.ForceGang]. [Client.Gangs] lists what is waiting.
//
// # Channels
//
// A subscription is a channel. Its ID is the ID of the query, and every signal refers to it.
// In the mode [Reliable] a device sends a signal again until it is acknowledged, so a
// [Receiver] handles each one once. Channels outlive a restart of either side:
// [Client.Subscriptions] lists them, and [Receiver.Handle] takes them up again.
//
// # What is checked
//
// Every document is validated against the vocabulary of XJDF 2.2, before it is sent and
// after it was received. A response must refer to the message, a signal to a channel. All
// sizes are bounded. Neither side is authenticated by XJMF itself: use TLS, set
// [ClientConfig.Authorize], and put the Receiver behind a handler that authenticates.
//
// Package xjmftest simulates a device for tests.
package xjmf
