// SPDX-License-Identifier: Apache-2.0

package respond

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"strings"
)

// AcceptsGzip evaluates the fields Accept-Encoding of a request (RFC 9110, section 12.5.3).
// Without a field, or with an invalid one, it returns false.
func AcceptsGzip(fields []string) bool {
	others := false
	for _, field := range fields {
		for item := range strings.SplitSeq(field, ",") {
			coding, parameters, _ := strings.Cut(item, ";")
			wanted := !isZero(parameters)
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"):
				return wanted
			case coding == "*":
				others = wanted
			}
		}
	}
	return others
}

// isZero reports whether the parameters contain a weight of zero, which means "not
// acceptable".
func isZero(parameters string) bool {
	name, value, found := strings.Cut(parameters, "=")
	if !found || !strings.EqualFold(strings.TrimSpace(name), "q") {
		return false
	}
	weight, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	return err == nil && weight <= 0
}

// Gzip compresses a content. The level is one of package gzip, such as [gzip.BestCompression] for
// a content that is sent often.
func Gzip(content []byte, level int) []byte {
	var zipped bytes.Buffer // writing to a buffer cannot fail
	zip, _ := gzip.NewWriterLevel(&zipped, level)
	_, _ = zip.Write(content)
	_ = zip.Close()
	return zipped.Bytes()
}
