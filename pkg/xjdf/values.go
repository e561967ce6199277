// SPDX-License-Identifier: Apache-2.0

package xjdf

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// The reasons why an attribute has no value of a type.
var (
	// ErrMissing means that the element does not have the attribute.
	ErrMissing = errors.New("the attribute is missing")
	// ErrValue means that the attribute does not have a value of the type.
	ErrValue = errors.New("the value is invalid")
)

// ValueError is the fault of an attribute that was read as a value of a type.
type ValueError struct {
	// XPath is the attribute, in the notation of the standard.
	XPath string
	Value string
	// Type is the datatype of the standard, such as "integer".
	Type string
	// Reason is [ErrMissing] or [ErrValue].
	Reason error
}

// Error returns the attribute and the fault in one line.
func (e *ValueError) Error() string {
	if errors.Is(e.Reason, ErrMissing) {
		return e.XPath + ": " + e.Reason.Error()
	}
	return fmt.Sprintf("%s: %s is not a valid %s", e.XPath, quote(e.Value), e.Type)
}

// Unwrap returns the reason.
func (e *ValueError) Unwrap() error { return e.Reason }

// typed reads an attribute as a value of a datatype.
func typed[T any](n *Node, local, datatype string, read func(string) (T, bool)) (T, error) {
	text, given := n.Attr(local)
	reason := ErrMissing
	if given {
		value, ok := read(text)
		if ok {
			return value, nil
		}
		reason = ErrValue
	}
	var zero T
	return zero, &ValueError{XPath: xpath(n) + "/@" + local, Value: text, Type: datatype, Reason: reason}
}

// Integer returns an attribute as a whole number. An error is a [*ValueError].
func (n *Node) Integer(local string) (int64, error) {
	return typed(n, local, "integer", func(text string) (int64, bool) {
		value, err := strconv.ParseInt(text, 10, 64)
		return value, err == nil
	})
}

// Number returns an attribute as a number, which may be infinite. An error is a
// [*ValueError].
func (n *Node) Number(local string) (float64, error) {
	return typed(n, local, "float", parseNumber)
}

// Numbers returns an attribute as a list of numbers: a size, a rectangle, a matrix. With
// a count it requires this number of items. An error is a [*ValueError].
func (n *Node) Numbers(local string, count ...int) ([]float64, error) {
	return typed(n, local, "list of numbers", func(text string) ([]float64, bool) {
		var values []float64
		for _, item := range fields(text) {
			value, ok := parseNumber(item)
			if !ok {
				return nil, false
			}
			values = append(values, value)
		}
		return values, len(count) == 0 || len(values) == count[0]
	})
}

// Boolean returns an attribute as true or false. An error is a [*ValueError].
func (n *Node) Boolean(local string) (bool, error) {
	return typed(n, local, "boolean", func(text string) (value, ok bool) {
		return text == "true" || text == "1", text == "true" || text == "false" || text == "1" || text == "0"
	})
}

// Time returns an attribute as an instant. A date without a time zone is invalid (A.1).
// An error is a [*ValueError].
func (n *Node) Time(local string) (time.Time, error) {
	return typed(n, local, "dateTime", func(text string) (time.Time, bool) {
		value, err := time.Parse(time.RFC3339Nano, text)
		return value, err == nil
	})
}

// Duration returns an attribute as a duration. Years and months, which have no fixed
// length, are invalid. An error is a [*ValueError].
func (n *Node) Duration(local string) (time.Duration, error) {
	return typed(n, local, "duration", parseDuration)
}

// Items returns the items of a list of tokens, and nil for a missing attribute.
func (n *Node) Items(local string) []string {
	text, _ := n.Attr(local)
	return fields(text)
}

// parseNumber reads the notation of XML Schema, which has no hexadecimal numbers and
// one way to write infinity.
func parseNumber(text string) (float64, bool) {
	switch text {
	case "INF":
		return math.Inf(1), true
	case "-INF":
		return math.Inf(-1), true
	}
	if strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, false
	}
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

var durationForm = regexp.MustCompile(`^(-?)P(?:(\d+)D)?(T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)

func parseDuration(text string) (time.Duration, bool) {
	parts := durationForm.FindStringSubmatch(text)
	if parts == nil || strings.HasSuffix(text, "P") || strings.HasSuffix(text, "T") {
		return 0, false
	}
	seconds := 0.0
	for _, part := range []struct {
		digits string
		unit   float64
	}{{parts[2], 86400}, {parts[4], 3600}, {parts[5], 60}, {parts[6], 1}} {
		if part.digits == "" {
			continue
		}
		value, err := strconv.ParseFloat(part.digits, 64)
		if err != nil {
			return 0, false
		}
		seconds += value * part.unit
	}
	if parts[1] == "-" {
		seconds = -seconds
	}
	const longest = float64(math.MaxInt64 / int64(time.Second))
	if math.Abs(seconds) >= longest {
		return 0, false
	}
	return time.Duration(math.Round(seconds * float64(time.Second))), true
}
