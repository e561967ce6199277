// SPDX-License-Identifier: Apache-2.0

package strict

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzUnescape compares with an encoder that was told not to escape.
func FuzzUnescape(f *testing.F) {
	for _, seed := range []string{"", "<", `<a href="x">&amp;</a>`, `\u003c`, `\\u003c`, "\u2028 \x00 \xff", `\`, `"<"`, "ä"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := map[string]any{text: []string{text, text + "<"}}
		escaped, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			t.Fatal(err)
		}
		if got := string(unescape(escaped)) + "\n"; got != want.String() {
			t.Errorf("%s, want %s", got, want.String())
		}
		if plain := unescape([]byte(text)); len(plain) > len(text) {
			t.Errorf("%q grew to %q", text, plain)
		}
	})
}
