// SPDX-License-Identifier: Apache-2.0

package xjmfapi_test

import (
	"os"
	"testing"

	"github.com/printmarket/printmarket/test/apitest"
)

func TestMain(m *testing.M) { os.Exit(apitest.Main(m, "xjmfapi")) }
