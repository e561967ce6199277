// SPDX-License-Identifier: Apache-2.0

package money

import (
	"fmt"
	"strings"
)

// Currency is an ISO 4217 alphabetic code of a currency in circulation.
type Currency string

// Currencies by the number of decimals of their smallest unit (ISO 4217, List
// One). Funds codes, metals and test codes are omitted, because they are not used for payments.
const (
	noDecimals = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
	twoDecimal = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD " +
		"CAD CDF CHF CNY COP CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD " +
		"HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK " +
		"MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB " +
		"SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD " +
		"UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
	threeDecimals = "BHD IQD JOD KWD LYD OMR TND"
)

// ParseCurrency checks a code. Errors wrap [ErrInvalid].
func ParseCurrency(code string) (Currency, error) {
	if len(code) == 3 && decimalsOf(code) >= 0 {
		return Currency(code), nil
	}
	return "", fmt.Errorf("%w: not an ISO 4217 currency code", ErrInvalid)
}

// Decimals returns the number of decimals of the currency's smallest unit.
func (c Currency) Decimals() int32 { return max(decimalsOf(string(c)), 0) }

func decimalsOf(code string) int32 {
	switch {
	case listed(twoDecimal, code):
		return 2
	case listed(noDecimals, code):
		return 0
	case listed(threeDecimals, code):
		return 3
	default:
		return -1
	}
}

// listed searches a list of four-byte cells. A match must begin at a cell.
func listed(list, code string) bool {
	at := strings.Index(list, code)
	return len(code) == 3 && at >= 0 && at%4 == 0
}
