// SPDX-License-Identifier: Apache-2.0

package dashboard

import _ "embed"

// The scripts of the page of a running job and of the form of a new job.
const (
	progressFile = "progress.js"
	uploadFile   = "upload.js"
)

var (
	//go:embed progress.js
	progressScript []byte
	//go:embed upload.js
	uploadScript []byte
)
