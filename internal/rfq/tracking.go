// SPDX-License-Identifier: Apache-2.0

package rfq

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/printmarket/printmarket/internal/recordid"
)

// A tracking code is twelve random symbols (60 bits) and a check symbol, written
// RFQ-7K3M-2Q9X-4TBCN. It identifies an RFQ in conversations and grants no access.
const (
	trackingPrefix  = "RFQ-"
	trackingRandom  = 12
	trackingSymbols = trackingRandom + 1
	trackingGroup   = 4
	// maxTracking is the maximum length of the text that ParseTrackingCode accepts, in bytes.
	maxTracking = 32
)

// ErrTrackingCode means that a tracking code has an invalid length, alphabet or check
// symbol. A wrong check symbol indicates a typing error.
var ErrTrackingCode = errors.New("invalid tracking code")

func formatTracking(symbols []byte) string {
	last := trackingRandom - trackingGroup
	return fmt.Sprintf("%s%s-%s-%s", trackingPrefix, symbols[:trackingGroup], symbols[trackingGroup:last], symbols[last:])
}

// checkSymbol applies the Luhn algorithm to base 32. It detects every single wrong
// symbol and nearly every transposition of neighbours. Crockford's check symbol would
// need five additional characters that are hard to read out on the phone.
func checkSymbol(symbols []byte) byte {
	sum, factor := 0, 2
	for i := len(symbols) - 1; i >= 0; i-- {
		product := factor * strings.IndexByte(recordid.Alphabet, symbols[i])
		sum += product/32 + product%32
		factor = 3 - factor
	}
	return recordid.Alphabet[(32-sum%32)%32]
}

// misread maps common misreadings to symbols of the alphabet and removes separators.
var misread = strings.NewReplacer("O", "0", "I", "1", "L", "1", "-", "", " ", "")

// ParseTrackingCode parses a code in any case, with or without the prefix and hyphens,
// and with O for 0 and I or L for 1. It returns the canonical form, or
// [ErrTrackingCode].
func ParseTrackingCode(text string) (string, error) {
	if len(text) > maxTracking {
		return "", fmt.Errorf("%w: too long", ErrTrackingCode)
	}
	symbols := []byte(misread.Replace(strings.ToUpper(text)))
	// The letters of the prefix are also symbols, so only the length distinguishes a prefix.
	if len(symbols) == trackingSymbols+len("RFQ") {
		symbols = bytes.TrimPrefix(symbols, []byte("RFQ"))
	}
	if len(symbols) != trackingSymbols {
		return "", fmt.Errorf("%w: %d symbols are needed", ErrTrackingCode, trackingSymbols)
	}
	for _, symbol := range symbols {
		if strings.IndexByte(recordid.Alphabet, symbol) < 0 {
			return "", fmt.Errorf("%w: a symbol is not in the alphabet", ErrTrackingCode)
		}
	}
	if checkSymbol(symbols[:trackingRandom]) != symbols[trackingRandom] {
		return "", fmt.Errorf("%w: the check symbol does not fit", ErrTrackingCode)
	}
	return formatTracking(symbols), nil
}
