// SPDX-License-Identifier: Apache-2.0

package client

// Code is the machine-readable cause of a [Problem]. New codes may come; the API serves
// what to do about each at /docs/api/problem-codes.json.
type Code string
