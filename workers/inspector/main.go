// SPDX-License-Identifier: Apache-2.0

// Command inspector opens one PDF, inspects it and writes a report.
//
// It is a binary of its own so that it starts in milliseconds and holds nothing
// worth stealing: no Kubernetes client, no database, no credentials. The sandbox
// starts it; people use "printmarket preflight FILE". Build it with
// CGO_ENABLED=0, because a C library may not survive its memory limit.
package main

import (
	"os"

	"github.com/printmarket/printmarket/internal/sandbox/inspector"
)

func main() { os.Exit(inspector.Main()) }
