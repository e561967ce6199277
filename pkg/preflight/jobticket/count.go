// SPDX-License-Identifier: Apache-2.0

package jobticket

import (
	"encoding/json"
	"errors"
	"math"
)

// Count is a whole number in any form of a JSON number: 2.0 and 2e0 are two, as in the
// schemas of contracts.
type Count int

// maxCount exceeds every bound of a ticket and fits every int.
const maxCount = math.MaxInt32

var errCount = errors.New("not a whole number within bounds")

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Count) UnmarshalJSON(text []byte) error {
	var v *float64
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if v == nil {
		return nil // as for any number
	}
	if *v != math.Trunc(*v) || math.Abs(*v) > maxCount {
		return errCount
	}
	*c = Count(*v)
	return nil
}
