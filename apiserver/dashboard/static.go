// SPDX-License-Identifier: Apache-2.0

package dashboard

import "embed"

// The scripts that pages run besides that of the design.
const (
	progressFile = "progress.js" // of a running job
	uploadFile   = "upload.js"   // of the form of a new job
	replicasFile = "ops-live.js" // of a rollout
	tourFile     = "tour.js"
)

//go:embed *.js
var scripts embed.FS
