// SPDX-License-Identifier: Apache-2.0

package vocabulary_test

import (
	"testing"

	"github.com/printmarket/printmarket/internal/xjdf/vocabulary"
)

func TestLoadReadsEveryTable(t *testing.T) {
	t.Parallel()
	v := vocabulary.Load()
	t.Log(len(v.Elements()), len(v.Lists()), len(v.OfKind(vocabulary.Resource)), len(v.OfKind(vocabulary.Intent)), len(v.OfKind(vocabulary.Message)))
}
