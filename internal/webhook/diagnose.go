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
)

// Diagnose checks a delivery from the view of its receiver: the header fields and the
// body against one secret, with timestamps that may differ from now by
// tolerance. The parts are the header fields, by their names in the guide. Diagnose
// verifies the fields that [Sign] sets. It names a mistake only if the signature
// matches after the mistake is undone. Header and body may be untrusted.
func Diagnose(secret credential.Secret, header http.Header, body []byte, now time.Time, tolerance time.Duration) []credential.SignedPart {
	d := diagnosis{header: header, keys: keysOf(secret), bodies: bodiesOf(body)}
	_, d.malformed = credential.ParseWebhookSecret(secret)
	marketplace, standard := d.marketplace(), d.standard()
	if signatures := strings.Fields(header.Get(HeaderSignatures)); marketplace == nothingFits && standard == "" && len(signatures) > 1 {
		marketplace = "another secret made this signature; this secret matches webhook-signature. During a rotation this field contains only the signature of the newest secret"
	}
	return []credential.SignedPart{
		{Name: HeaderSignature, Fault: marketplace},
		{Name: "webhook-id", Fault: d.id(body)},
		{Name: "webhook-timestamp", Fault: d.timestamp(now, tolerance)},
		{Name: "webhook-signature", Fault: standard},
	}
}

// diagnosis holds the inputs of a check.
type diagnosis struct {
	header http.Header
	keys   []key
	bodies []variant
	// malformed is the reason why the secret is invalid, or nil.
	malformed error
}

// variant is a candidate for the signed bytes, and the mistake that it implies; empty
// for none.
type variant struct {
	mistake string
	bytes   []byte
}

// key is a candidate for the key of a signature: the text of a secret, and its decoded
// bytes, or nil if it cannot be decoded. The mistake is in the form of the secret.
type key struct {
	mistake string
	text    []byte
	decoded []byte
}

const (
	nothingFits = "the signature is of another body or another secret"
	missing     = "the field is missing"
	repeated    = "the field occurs more than once"
)

// keysOf returns the secret as given, and with common mistakes undone.
func keysOf(secret credential.Secret) []key {
	given := secret.Reveal()
	bare := strings.TrimSpace(given)
	var keys []key
	for _, one := range []struct{ mistake, text string }{
		{"", given},
		{"the secret has surrounding white space", bare},
		{"the secret lacks the prefix " + credential.WebhookSecretPrefix, credential.WebhookSecretPrefix + bare},
		{"the secret lacks its final = padding", bare + "="},
		{"the secret lacks its final = padding", bare + "=="},
	} {
		decoded, err := credential.ParseWebhookSecret(credential.Secret(one.text))
		if one.mistake == "" || err == nil && one.text != given {
			keys = append(keys, key{one.mistake, []byte(one.text), decoded})
		}
	}
	return keys
}

// bodiesOf returns the body as given, and with common mistakes undone.
func bodiesOf(body []byte) []variant {
	const written = "; verify the received bytes before any parsing"
	var bodies []variant
	add := func(mistake string, sent []byte) {
		if !slices.ContainsFunc(bodies, func(one variant) bool { return bytes.Equal(one.bytes, sent) }) {
			bodies = append(bodies, variant{mistake, sent})
		}
	}
	add("", body)
	add("the body has a final line break that was not signed", bytes.TrimRight(body, "\r\n"))
	add("the body lacks the final line break that was signed", append(bytes.Clone(body), '\n'))
	add("the body has a byte order mark that was not signed", bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	var compact bytes.Buffer
	if json.Compact(&compact, body) == nil {
		add("the body was reserialized with different white space"+written, compact.Bytes())
	}
	var event payload
	if json.Unmarshal(body, &event) == nil {
		sent, _ := json.Marshal(event) // texts, and maps of texts, can always be encoded
		add("the body was reserialized with a different member order or different escapes"+written, sent)
	}
	return bodies
}

// one returns the value of a field that must occur exactly once.
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

// marketplace returns the fault of [HeaderSignature].
func (d *diagnosis) marketplace() string {
	given, fault := d.one(HeaderSignature)
	if fault != "" {
		return fault
	}
	digits := "sha256=" + strings.TrimPrefix(strings.ToLower(given), "sha256=")
	form := ""
	if digits != given {
		form = "write the signature as sha256= and lower-case hexadecimal digits"
	}
	const decoded = "the HMAC key is the decoded secret; use the complete text of the secret as the key"
	for _, body := range d.bodies {
		for _, key := range d.keys {
			for _, try := range []variant{{"", key.text}, {decoded, key.decoded}} {
				if try.bytes != nil && credential.Sign(credential.SignedBody, credential.Secret(try.bytes), "", body.bytes) == digits {
					return sentence(form, key.mistake, try.mistake, body.mistake)
				}
			}
		}
	}
	if _, err := hex.DecodeString(strings.TrimPrefix(digits, "sha256=")); err != nil || len(digits) != credential.SignatureLen {
		return "the value is not sha256= and 64 hexadecimal digits"
	}
	return d.nothing()
}

// id returns the fault of [HeaderID].
func (d *diagnosis) id(body []byte) string {
	given, fault := d.one(HeaderID)
	if fault != "" {
		return fault
	}
	var event struct{ ID string }
	if json.Unmarshal(body, &event) == nil && event.ID != "" && event.ID != given {
		return "the event in the body has a different id: the header fields are from another delivery"
	}
	return ""
}

// timestamp returns the fault of [HeaderTimestamp].
func (d *diagnosis) timestamp(now time.Time, tolerance time.Duration) string {
	given, fault := d.one(HeaderTimestamp)
	if fault != "" {
		return fault
	}
	at, err := credential.ParseTimestamp(given)
	if err != nil || len(given) != len("1767225600") {
		return "the value is not a Unix time in seconds with ten digits"
	}
	return at.Outside(now, tolerance)
}

// standard returns the fault of [HeaderSignatures], of which one signature must match.
func (d *diagnosis) standard() string {
	field, fault := d.one(HeaderSignatures)
	if fault != "" {
		return fault
	}
	given := signaturesOf(field)
	if len(given) == 0 {
		return "the value contains no v1, followed by base64"
	}
	for _, body := range d.bodies {
		for _, prefix := range d.prefixes(body.bytes) {
			for _, key := range d.keys {
				for _, try := range standardKeys(key) {
					sum := standardSum(try.bytes, prefix.bytes, body.bytes)
					if at := slices.IndexFunc(given, func(one variant) bool { return hmac.Equal(one.bytes, sum) }); at >= 0 {
						return sentence(given[at].mistake, key.mistake, try.mistake, prefix.mistake, body.mistake)
					}
				}
			}
		}
	}
	return d.nothing()
}

// prefixes returns candidates for the signed bytes before the body.
func (d *diagnosis) prefixes(body []byte) []variant {
	id, timestamp := d.header.Get(HeaderID), d.header.Get(HeaderTimestamp)
	prefixes := []variant{
		{"", []byte(id + "." + timestamp + ".")},
		{"the signature is of the body alone; sign id.timestamp.body", nil},
		{"the signature is of timestamp.body; sign id.timestamp.body", []byte(timestamp + ".")},
	}
	var event struct{ ID string }
	if json.Unmarshal(body, &event) == nil && event.ID != id {
		prefixes = append(prefixes, variant{"the signature is of the id in the body instead of webhook-id", []byte(event.ID + "." + timestamp + ".")})
	}
	return prefixes
}

// standardKeys returns candidates for the key of a Standard Webhooks signature.
func standardKeys(k key) []variant {
	const text = "the HMAC key is the text of the secret; decode the base64 after whsec_ first"
	keys := []variant{{text, k.text}, {text, bytes.TrimPrefix(k.text, []byte(credential.WebhookSecretPrefix))}}
	if k.decoded != nil {
		keys = slices.Insert(keys, 0, variant{"", k.decoded})
	}
	return keys
}

// signaturesOf returns the signatures in [HeaderSignatures], with the mistake in the
// form of each.
func signaturesOf(field string) []variant {
	var found []variant
	for one := range strings.FieldsSeq(field) {
		version, text, versioned := strings.Cut(one, ",")
		mistake := ""
		switch {
		case !versioned:
			text, mistake = one, "the prefix v1, is missing"
		case version != "v1":
			continue // an unknown version
		}
		for _, form := range []struct {
			mistake string
			decode  func(string) ([]byte, error)
		}{
			{"", base64.StdEncoding.Strict().DecodeString},
			{"write the signature in base64 instead of hexadecimal digits", hex.DecodeString},
			{"write the signature in base64 with padding", base64.RawStdEncoding.DecodeString},
			{"write the signature in the standard base64 alphabet instead of the URL alphabet", base64.URLEncoding.DecodeString},
			{"write the signature in the standard base64 alphabet with padding", base64.RawURLEncoding.DecodeString},
		} {
			if sum, err := form.decode(text); err == nil && len(sum) == sumLen {
				found = append(found, variant{sentence(mistake, form.mistake), sum})
				break
			}
		}
	}
	return found
}

// nothing returns the fault of a signature that no known mistake explains.
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
