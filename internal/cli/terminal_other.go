// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package cli

import "os"

// windowWidth knows of no terminal.
func windowWidth(*os.File) (int, bool) { return 0, false }
