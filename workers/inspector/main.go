// SPDX-License-Identifier: Apache-2.0

// Command inspector opens one PDF, inspects it and writes a report.
//
// It is a separate binary, so that it starts in milliseconds and contains no Kubernetes client,
// no database driver and no credentials. The sandbox starts it; users run
// "printmarket preflight FILE". Build it with CGO_ENABLED=0, because a C library may fail at its
// memory limit.
package main

import (
	"os"

	"github.com/printmarket/printmarket/pkg/preflight/sandbox/inspector"
)

func main() { os.Exit(inspector.Main()) }
