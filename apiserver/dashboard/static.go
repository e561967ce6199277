// SPDX-License-Identifier: Apache-2.0

package dashboard

import _ "embed"

// scriptFile is the script of the page of a running job.
const scriptFile = "progress.js"

//go:embed progress.js
var script []byte

// tourScript is the script of the tour.
const tourScript = "tour.js"

//go:embed tour.js
var tourText []byte
