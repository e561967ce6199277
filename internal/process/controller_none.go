// SPDX-License-Identifier: Apache-2.0

//go:build nocontroller

package process

import (
	"context"
	"errors"
	"io"
)

// Run fails in the build of `make run`, which leaves out the
// controller: its libraries are a third of all packages (ADR 0051).
func (*Controller) Run(context.Context, io.Writer) error {
	return errors.New("this executable does not contain the controller: build it with make build")
}
