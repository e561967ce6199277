// SPDX-License-Identifier: Apache-2.0

package schema_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"testing"

	"github.com/printmarket/printmarket/pkg/xjdf/schema"
)

func TestXSDIsWellFormedAndTheSameEachTime(t *testing.T) {
	t.Parallel()
	made := schema.XSD()
	if !bytes.Equal(made, schema.XSD()) || !bytes.Equal(schema.JSON(), schema.JSON()) {
		t.Error("a schema differs from the one before")
	}
	tokens := xml.NewDecoder(bytes.NewReader(made))
	for {
		_, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("Token: %v", err)
		}
	}
}
