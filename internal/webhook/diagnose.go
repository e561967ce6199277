// SPDX-License-Identifier: Apache-2.0

package webhook

import (
	"bytes"
	"crypto/hmac"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/credential/signature"
)

// Diagnose checks a delivery as its receiver has it: the header fields and the body
// against one secret, at a time, with timestamps that may differ from it as much as
// tolerance. The parts are header fields, by their names in the guide. It finds what [Sign] makes to be right, and of what is wrong it says
// why, as far as that can be shown: a mistake is named when the signature fits once
// it is undone, and only then. Header fields and body may be anybody's.
func Diagnose(secret credential.Secret, header http.Header, body []byte, now time.Time, tolerance time.Duration) []signature.Part {
	d := diagnosis{header: header, keys: keysOf(secret), bodies: bodiesOf(body)}
	_, d.malformed = credential.ParseWebhookSecret(secret)
	marketplace, standard := d.marketplace(), d.standard()
	if signatures := strings.Fields(header.Get(HeaderSignatures)); marketplace == nothingFits && standard == "" && len(signatures) > 1 {
		marketplace = "it is by another secret than this one, which fits in webhook-signature: while a secret is being changed this field has the newest alone"
	}
	return []signature.Part{
		{Name: HeaderSignature, Fault: marketplace},
		{Name: "webhook-id", Fault: d.id(body)},
		{Name: "webhook-timestamp", Fault: d.timestamp(now, tolerance)},
		{Name: "webhook-signature", Fault: standard},
	}
}

// diagnosis is what a delivery is checked against.
type diagnosis struct {
	header http.Header
	keys   []key
	bodies []variant
	// malformed says why the secret is none, if it is none.
	malformed error
}

// variant is what might have been signed, and the mistake that this would be; ""
// is none.
type variant struct {
	mistake string
	bytes   []byte
}

// key is what might have keyed a signature: the text of a secret, and the bytes that
// it stands for, nil if it stands for none. The mistake is in how the secret was given.
type key struct {
	mistake string
	text    []byte
	decoded []byte
}

const (
	nothingFits = "it is of another body, or by another secret"
	missing     = "the field is missing"
	repeated    = "the field is there more than once"
)

// keysOf is a secret as it was given, and as it may have been meant.
func keysOf(secret credential.Secret) []key {
	given := secret.Reveal()
	bare := strings.TrimSpace(given)
	var keys []key
	for _, one := range []struct{ mistake, text string }{
		{"", given},
		{"the secret was given with white space around it", bare},
		{"the secret was given without " + credential.WebhookSecretPrefix, credential.WebhookSecretPrefix + bare},
		{"the secret was given without the = at its end", bare + "="},
		{"the secret was given without the = at its end", bare + "=="},
	} {
		decoded, err := credential.ParseWebhookSecret(credential.Secret(one.text))
		if one.mistake == "" || err == nil && one.text != given {
			keys = append(keys, key{one.mistake, []byte(one.text), decoded})
		}
	}
	return keys
}

// bodiesOf is a body as it was given, and as it may have been sent.
func bodiesOf(body []byte) []variant {
	const written = "; sign the bytes as they came, before anything parses them"
	var bodies []variant
	add := func(mistake string, sent []byte) {
		if !slices.ContainsFunc(bodies, func(one variant) bool { return bytes.Equal(one.bytes, sent) }) {
			bodies = append(bodies, variant{mistake, sent})
		}
	}
	add("", body)
	add("the body has a line end that was not signed", bytes.TrimRight(body, "\r\n"))
	add("the body lacks a line end that was signed", append(bytes.Clone(body), '\n'))
	add("the body has a byte order mark that was not signed", bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	var compact bytes.Buffer
	if json.Compact(&compact, body) == nil {
		add("the body was written anew, with other white space"+written, compact.Bytes())
	}
	var event payload
	if json.Unmarshal(body, &event) == nil {
		sent, _ := json.Marshal(event) // texts, and maps of texts, can always be encoded
		add("the body was written anew, with another order or other escapes"+written, sent)
	}
	return bodies
}

// one is the value of a field that has to be there once.
func (d *diagnosis) one(name string) (value, fault string) {
	switch values := d.header.Values(name); {
	case len(values) == 0 || len(values) == 1 && values[0] == "":
		return "", missing
	case len(values) > 1:
		return "", repeated
	default:
		return values[0], ""
	}
}

// marketplace says what is wrong with [HeaderSignature].
func (d *diagnosis) marketplace() string {
	given, fault := d.one(HeaderSignature)
	if fault != "" {
		return fault
	}
	digits := "sha256=" + strings.TrimPrefix(strings.ToLower(given), "sha256=")
	form := ""
	if digits != given {
		form = "it is to be written as sha256= and lower-case hexadecimal digits"
	}
	const decoded = "it is keyed with the bytes that the secret stands for; key it with the whole text of the secret"
	for _, body := range d.bodies {
		for _, key := range d.keys {
			for _, try := range []variant{{"", key.text}, {decoded, key.decoded}} {
				if try.bytes != nil && signature.Sign(signature.Body, credential.Secret(try.bytes), "", body.bytes) == digits {
					return sentence(form, key.mistake, try.mistake, body.mistake)
				}
			}
		}
	}
	if _, err := hex.DecodeString(strings.TrimPrefix(digits, "sha256=")); err != nil || len(digits) != signature.Len {
		return "it is not sha256= and 64 hexadecimal digits"
	}
	return d.nothing()
}

// id says what is wrong with [HeaderID].
func (d *diagnosis) id(body []byte) string {
	given, fault := d.one(HeaderID)
	if fault != "" {
		return fault
	}
	var event struct{ ID string }
	if json.Unmarshal(body, &event) == nil && event.ID != "" && event.ID != given {
		return "the event in the body has another id: the header fields are of another delivery"
	}
	return ""
}

// timestamp says what is wrong with [HeaderTimestamp].
func (d *diagnosis) timestamp(now time.Time, tolerance time.Duration) string {
	given, fault := d.one(HeaderTimestamp)
	if fault != "" {
		return fault
	}
	at, err := signature.ParseTimestamp(given)
	if err != nil || len(given) != len("1767225600") {
		return "it is not Unix seconds in ten digits"
	}
	return at.Outside(now, tolerance)
}

// standard says what is wrong with [HeaderSignatures], of which one has to fit.
func (d *diagnosis) standard() string {
	field, fault := d.one(HeaderSignatures)
	if fault != "" {
		return fault
	}
	given := signaturesOf(field)
	if len(given) == 0 {
		return "there is no v1, and base64 in it"
	}
	for _, body := range d.bodies {
		for _, prefix := range d.prefixes(body.bytes) {
			for _, key := range d.keys {
				for _, try := range standardKeys(key) {
					if form, fits := fitting(given, standardSum(try.bytes, prefix.bytes, body.bytes)); fits {
						return sentence(form, key.mistake, try.mistake, prefix.mistake, body.mistake)
					}
				}
			}
		}
	}
	return d.nothing()
}

// prefixes are what may have been signed before the body.
func (d *diagnosis) prefixes(body []byte) []variant {
	id, timestamp := d.header.Get(HeaderID), d.header.Get(HeaderTimestamp)
	prefixes := []variant{
		{"", []byte(id + "." + timestamp + ".")},
		{"it is of the body alone; sign id.timestamp.body", nil},
		{"it is of timestamp.body; sign id.timestamp.body", []byte(timestamp + ".")},
	}
	var event struct{ ID string }
	if json.Unmarshal(body, &event) == nil && event.ID != id {
		prefixes = append(prefixes, variant{"it is of the id in the body, not of the one in webhook-id", []byte(event.ID + "." + timestamp + ".")})
	}
	return prefixes
}

// standardKeys are what may have keyed a signature of Standard Webhooks.
func standardKeys(k key) []variant {
	const text = "it is keyed with text of the secret; decode the base64 behind whsec_ first"
	keys := []variant{{text, k.text}, {text, bytes.TrimPrefix(k.text, []byte(credential.WebhookSecretPrefix))}}
	if k.decoded != nil {
		keys = slices.Insert(keys, 0, variant{"", k.decoded})
	}
	return keys
}

// signaturesOf are the signatures in [HeaderSignatures], and the mistake in how each
// is written.
func signaturesOf(field string) []variant {
	var found []variant
	for one := range strings.FieldsSeq(field) {
		version, text, versioned := strings.Cut(one, ",")
		mistake := ""
		switch {
		case !versioned:
			text, mistake = one, "v1, is missing before it"
		case version != "v1":
			continue // of a version that this one knows nothing of
		}
		for _, form := range []struct {
			mistake string
			decode  func(string) ([]byte, error)
		}{
			{"", base64.StdEncoding.Strict().DecodeString},
			{"it is to be written in base64, not in hexadecimal digits", hex.DecodeString},
			{"it is to be written in base64 with padding", base64.RawStdEncoding.DecodeString},
			{"it is to be written in the standard alphabet of base64, not in that of URLs", base64.URLEncoding.DecodeString},
			{"it is to be written in the standard alphabet of base64, with padding", base64.RawURLEncoding.DecodeString},
		} {
			if sum, err := form.decode(text); err == nil && len(sum) == sumLen {
				found = append(found, variant{sentence(mistake, form.mistake), sum})
				break
			}
		}
	}
	return found
}

// fitting reports whether one of the signatures is a sum, and the mistake in how it
// is written.
func fitting(given []variant, sum []byte) (mistake string, fits bool) {
	at := slices.IndexFunc(given, func(one variant) bool { return hmac.Equal(one.bytes, sum) })
	if at < 0 {
		return "", false
	}
	return given[at].mistake, true
}

// nothing is said of a signature that fits no mistake.
func (d *diagnosis) nothing() string {
	if d.malformed != nil {
		return nothingFits + "; " + d.malformed.Error()
	}
	return nothingFits
}

// sentence joins mistakes.
func sentence(mistakes ...string) string {
	return strings.Join(slices.DeleteFunc(mistakes, func(one string) bool { return one == "" }), "; ")
}
