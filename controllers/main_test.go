// SPDX-License-Identifier: Apache-2.0

package controllers_test

import (
	"os"
	"testing"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/printmarket/printmarket/test/kubetest"
)

var plane *kubetest.Plane

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(kubetest.Run(m, &plane))
}
