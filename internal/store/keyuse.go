// SPDX-License-Identifier: Apache-2.0

package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// EncodeScopeTimes returns the column scopes of the use of a key: seconds since 1970 by the name
// of the scope.
func EncodeScopeTimes(times map[string]time.Time) (string, error) {
	seconds := map[string]int64{}
	for scope, at := range times {
		seconds[scope] = at.Unix()
	}
	text, err := json.Marshal(seconds)
	return string(text), err
}

// ScopeTimes scans the column scopes of the use of a key; nil for none.
type ScopeTimes struct{ Into *map[string]time.Time }

// Scan implements [database/sql.Scanner].
func (s ScopeTimes) Scan(stored any) error {
	text, ok := stored.(string)
	if !ok {
		return fmt.Errorf("scopes of a key: unexpected type %T in the database", stored)
	}
	var seconds map[string]int64
	if err := json.Unmarshal([]byte(text), &seconds); err != nil {
		return err
	}
	*s.Into = nil
	for scope, at := range seconds {
		if *s.Into == nil {
			*s.Into = map[string]time.Time{}
		}
		(*s.Into)[scope] = time.Unix(at, 0).UTC()
	}
	return nil
}
