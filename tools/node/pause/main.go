// SPDX-License-Identifier: Apache-2.0

// Command pause holds the namespaces of a pod. It reaps the orphans of pods whose containers share
// a process namespace.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	// Ignored children leave no zombies.
	signal.Ignore(syscall.SIGCHLD)
	<-ended
}
