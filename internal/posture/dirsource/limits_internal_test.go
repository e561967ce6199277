// SPDX-License-Identifier: Apache-2.0

package dirsource

import (
	"testing"

	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

func TestCostLimitsMatchTheAPIServer(t *testing.T) {
	t.Parallel()
	if perCallLimit != celconfig.PerCallLimit || runtimeCostBudget != celconfig.RuntimeCELCostBudget {
		t.Errorf("limits %d and %d, the API server has %d and %d", perCallLimit, runtimeCostBudget, celconfig.PerCallLimit, celconfig.RuntimeCELCostBudget)
	}
}
