// SPDX-License-Identifier: Apache-2.0

package document

import (
	"errors"
	"fmt"

	"github.com/printmarket/printmarket/pkg/preflight/internal/facts"
)

// panicError is a panic of the parser. Its text is not shown: it may hold
// anything.
type panicError struct{ value any }

func (e *panicError) Error() string { return "parser panicked" }

// guard calls the parser. A panic becomes an incident and an error. A stack overflow
// or a lack of memory ends the process, which the sandbox contains.
func (f *File) guard(call func() error) error {
	err := caught(call)
	f.panicked(err)
	return err
}

// panicked records an error as an incident when it is a panic.
func (f *File) panicked(err error) {
	panicked, ok := errors.AsType[*panicError](err)
	if !ok {
		return
	}
	f.collector.Incomplete()
	f.collector.Incident(facts.Incident{
		Rule:       RulePanic,
		Parameters: facts.Values{"kind": fmt.Sprintf("%T", panicked.value)},
	})
}

// caught runs call and returns its panic as an error.
func caught(call func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &panicError{value: value}
		}
	}()
	return call()
}
