// SPDX-License-Identifier: Apache-2.0

package dashboard

import _ "embed"

// scriptFile is the script of the page of a running job.
const scriptFile = "progress.js"

//go:embed progress.js
var script []byte

// refreshFile is the script that updates the state of the replicas.
const refreshFile = "ops-live.js"

//go:embed ops_live.js
var refreshScript []byte
