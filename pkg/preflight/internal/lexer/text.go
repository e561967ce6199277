// SPDX-License-Identifier: Apache-2.0

package lexer

import "bytes"

// AppendText appends the decoded bytes of a String (ISO 32000-2, 7.3.4).
func AppendText(dst []byte, o *Object) []byte {
	if o.Kind != String {
		return dst
	}
	if o.Hex {
		return appendHex(dst, o.Text)
	}
	if bytes.IndexByte(o.Text, '\\') < 0 && bytes.IndexByte(o.Text, '\r') < 0 {
		return append(dst, o.Text...)
	}
	return appendLiteral(dst, o.Text)
}

func appendHex(dst, digits []byte) []byte {
	high := -1
	for _, c := range digits {
		d := hexDigit(c)
		switch {
		case d < 0:
		case high < 0:
			high = d
		default:
			dst, high = append(dst, byte(high<<4|d)), -1
		}
	}
	if high >= 0 {
		dst = append(dst, byte(high<<4))
	}
	return dst
}

func appendLiteral(dst, text []byte) []byte {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\r':
			dst = append(dst, '\n')
			i += lineFeed(text, i+1)
		case '\\':
			if i++; i == len(text) {
				return dst
			}
			switch c := text[i]; c {
			case 'n':
				dst = append(dst, '\n')
			case 'r':
				dst = append(dst, '\r')
			case 't':
				dst = append(dst, '\t')
			case 'b':
				dst = append(dst, '\b')
			case 'f':
				dst = append(dst, '\f')
			case '\n':
			case '\r':
				i += lineFeed(text, i+1)
			case '0', '1', '2', '3', '4', '5', '6', '7':
				v, end := 0, min(i+3, len(text))
				for ; i < end && text[i] >= '0' && text[i] <= '7'; i++ {
					v = v<<3 | int(text[i]-'0')
				}
				dst = append(dst, byte(v))
				i--
			default:
				dst = append(dst, c)
			}
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// lineFeed returns 1 if the byte at i is a line feed, else 0.
func lineFeed(text []byte, i int) int {
	if i < len(text) && text[i] == '\n' {
		return 1
	}
	return 0
}
