// SPDX-License-Identifier: Apache-2.0

package contracts

import "github.com/santhosh-tekuri/jsonschema/v6"

// Sentence returns the text of a violation of a kind. Formats are not checked here, so their
// sentences need a direct test.
func Sentence(k jsonschema.ErrorKind) string { return sentence(k) }
