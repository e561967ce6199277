// SPDX-License-Identifier: Apache-2.0

// Command printmarket is the print marketplace platform: one binary for every
// process of it. `printmarket help` lists the commands.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/printmarket/printmarket/internal/cli"
)

func main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		for again := range signals {
			// An orchestrator may repeat SIGTERM; only a person interrupts.
			if again == os.Interrupt {
				fmt.Fprintln(os.Stderr, "printmarket: stopped at once by a second interrupt; unfinished work is cut off")
				os.Exit(cli.ExitInterrupted)
			}
		}
	}()
	os.Exit(cli.Main(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
