// SPDX-License-Identifier: Apache-2.0

package contracts

import "github.com/santhosh-tekuri/jsonschema/v6"

// Sentence is the text of a violation of a kind; formats are not checked here, so
// that no value leads to theirs.
func Sentence(k jsonschema.ErrorKind) string { return sentence(k) }
