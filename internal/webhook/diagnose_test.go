// SPDX-License-Identifier: Apache-2.0

package webhook_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/webhook"
)

// received holds a delivery from the view of its receiver.
type received struct {
	secret credential.Secret
	header http.Header
	body   []byte
	now    time.Time
}

// delivered returns the first published vector as a received delivery.
func delivered(t *testing.T) received {
	t.Helper()
	v := vectors["one secret"]
	header, err := webhook.Sign(v.secrets, v.event.ID, newYear, []byte(v.body))
	if err != nil {
		t.Fatalf("webhook.Sign(%q): %v", v.event.ID, err)
	}
	return received{older, header, []byte(v.body), newYear.Add(time.Second)}
}

func (r received) diagnose() map[string]string {
	found := map[string]string{}
	for _, part := range webhook.Diagnose(r.secret, r.header, r.body, r.now, 5*time.Minute) {
		if part.Fault != "" {
			found[part.Name] = part.Fault
		}
	}
	return found
}

// mac returns an HMAC that a receiver computes after misreading the guide.
func mac(key, text []byte) []byte {
	sum := hmac.New(sha256.New, key)
	sum.Write(text)
	return sum.Sum(nil)
}

func v1(sum []byte) string { return "v1," + base64.StdEncoding.EncodeToString(sum) }

func TestEveryPublishedDeliveryHoldsUnderEachOfItsSecrets(t *testing.T) {
	t.Parallel()
	for name, v := range vectors {
		header := http.Header{webhook.HeaderSignature: {v.plain}, webhook.HeaderID: {v.event.ID}, webhook.HeaderTimestamp: {"1767225600"}, webhook.HeaderSignatures: {v.signed}}
		for i, secret := range v.secrets {
			want := map[string]string{}
			if i > 0 {
				want["X-Marketplace-Signature"] = "another secret made this signature; this secret matches webhook-signature. During a rotation this field contains only the signature of the newest secret"
			}
			if diff := cmp.Diff(want, received{secret, header, []byte(v.body), newYear}.diagnose()); diff != "" {
				t.Errorf("%s, secret %d (-want +got):\n%s", name, i, diff)
			}
		}
	}
}

// The test makes each common mistake with a valid delivery.
func TestADiagnosisNamesTheMistake(t *testing.T) {
	t.Parallel()
	const (
		plain     = "X-Marketplace-Signature"
		id        = "webhook-id"
		timestamp = "webhook-timestamp"
		standard  = "webhook-signature"
		other     = "the signature is of another body or another secret"
	)
	both := func(fault string) map[string]string { return map[string]string{plain: fault, standard: fault} }
	decoded, err := credential.ParseWebhookSecret(older)
	if err != nil {
		t.Fatalf("credential.ParseWebhookSecret: %v", err)
	}
	const signedID = "evt_01KDVDNC00000000000000000A"
	for sentence, tc := range map[string]struct {
		mistake func(*received)
		want    map[string]string
	}{
		"none": {func(*received) {}, map[string]string{}},
		"another secret": {
			func(r *received) { r.secret = newer }, both(other),
		},
		"another body": {
			func(r *received) { r.body = bytes.Replace(r.body, []byte("quoted"), []byte("closed"), 1) }, both(other),
		},
		"an editor's line end behind the body": {
			func(r *received) { r.body = append(r.body, "\r\n"...) }, both("the body has a final line break that was not signed"),
		},
		"a byte order mark before the body": {
			func(r *received) { r.body = append([]byte("\xef\xbb\xbf"), r.body...) }, both("the body has a byte order mark that was not signed"),
		},
		"a body that was indented": {
			func(r *received) {
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, r.body, "", "  "); err != nil {
					t.Errorf(`json.Indent("  "): %v`, err)
				}
				r.body = pretty.Bytes()
			},
			both("the body was reserialized with different white space; verify the received bytes before any parsing"),
		},
		"a body whose members were sorted": {
			func(r *received) {
				var members map[string]any
				if err := json.Unmarshal(r.body, &members); err != nil {
					t.Errorf("json.Unmarshal: %v", err)
				}
				r.body, _ = json.Marshal(members)
			},
			both("the body was reserialized with a different member order or different escapes; verify the received bytes before any parsing"),
		},
		"a body whose slashes were escaped": {
			func(r *received) { r.body = bytes.ReplaceAll(r.body, []byte("/"), []byte(`\/`)) },
			both("the body was reserialized with a different member order or different escapes; verify the received bytes before any parsing"),
		},
		"a secret with a space": {
			func(r *received) { r.secret = " " + older + "\t" }, both("the secret has surrounding white space"),
		},
		"a secret without its prefix": {
			func(r *received) { r.secret = credential.Secret(strings.TrimPrefix(older.Reveal(), "whsec_")) }, both("the secret lacks the prefix whsec_"),
		},
		"a secret without its padding": {
			func(r *received) { r.secret = credential.Secret(strings.TrimRight(older.Reveal(), "=")) }, both("the secret lacks its final = padding"),
		},
		"an invalid secret": {
			func(r *received) { r.secret = "open sesame" }, both(other + "; malformed webhook secret: it does not begin with whsec_"),
		},
		"two mistakes at once": {
			func(r *received) { r.secret, r.body = " "+older, append(r.body, '\n') },
			both("the secret has surrounding white space; the body has a final line break that was not signed"),
		},
		"a sum of the body keyed with the decoded secret": {
			func(r *received) { r.header.Set(plain, "sha256="+hex.EncodeToString(mac(decoded, r.body))) },
			map[string]string{plain: "the HMAC key is the decoded secret; use the complete text of the secret as the key"},
		},
		"upper-case digits without a prefix": {
			func(r *received) {
				r.header.Set(plain, strings.ToUpper(strings.TrimPrefix(r.header.Get(plain), "sha256=")))
			},
			map[string]string{plain: "write the signature as sha256= and lower-case hexadecimal digits"},
		},
		"a word in place of digits": {
			func(r *received) { r.header.Set(plain, "signed") }, map[string]string{plain: "the value is not sha256= and 64 hexadecimal digits"},
		},
		"a sum keyed with the text of the secret": {
			func(r *received) {
				r.header.Set(standard, v1(mac([]byte(older.Reveal()), []byte(signedID+".1767225600."+string(r.body)))))
			},
			map[string]string{standard: "the HMAC key is the text of the secret; decode the base64 after whsec_ first"},
		},
		"a sum keyed with the text behind the prefix": {
			func(r *received) {
				r.header.Set(standard, v1(mac([]byte(strings.TrimPrefix(older.Reveal(), "whsec_")), []byte(signedID+".1767225600."+string(r.body)))))
			},
			map[string]string{standard: "the HMAC key is the text of the secret; decode the base64 after whsec_ first"},
		},
		"a sum of the body alone": {
			func(r *received) { r.header.Set(standard, v1(mac(decoded, r.body))) },
			map[string]string{standard: "the signature is of the body alone; sign id.timestamp.body"},
		},
		"a sum without the id": {
			func(r *received) { r.header.Set(standard, v1(mac(decoded, []byte("1767225600."+string(r.body))))) },
			map[string]string{standard: "the signature is of timestamp.body; sign id.timestamp.body"},
		},
		"hexadecimal digits in place of base64, and no version": {
			func(r *received) {
				r.header.Set(standard, hex.EncodeToString(mac(decoded, []byte(signedID+".1767225600."+string(r.body)))))
			},
			map[string]string{standard: "the prefix v1, is missing; write the signature in base64 instead of hexadecimal digits"},
		},
		"the alphabet of URLs": {
			func(r *received) {
				r.header.Set(standard, strings.NewReplacer("+", "-", "/", "_").Replace(r.header.Get(standard)))
			},
			map[string]string{standard: "write the signature in the standard base64 alphabet instead of the URL alphabet"},
		},
		"a future version": {
			func(r *received) { r.header.Set(standard, "v2,"+strings.TrimPrefix(r.header.Get(standard), "v1,")) },
			map[string]string{standard: "the value contains no v1, followed by base64"},
		},
		"a future version before a known one": {
			func(r *received) { r.header.Set(standard, "v2,AAAA "+r.header.Get(standard)) }, map[string]string{},
		},
		"the id of another delivery": {
			func(r *received) { r.header.Set(id, "evt_01KDVDNC00000000000000000B") },
			map[string]string{
				id:       "the event in the body has a different id: the header fields are from another delivery",
				standard: "the signature is of the id in the body instead of webhook-id",
			},
		},
		"a body of another delivery": {
			func(r *received) { r.body = bytes.ReplaceAll(r.body, []byte("000A"), []byte("000B")) },
			map[string]string{id: "the event in the body has a different id: the header fields are from another delivery", plain: other, standard: other},
		},
		"the timestamp of another attempt": {
			func(r *received) { r.header.Set(timestamp, "1767225605") }, map[string]string{standard: other},
		},
		"a check that comes too late": {
			func(r *received) { r.now = newYear.Add(5*time.Minute + time.Second) }, map[string]string{timestamp: "5m1s ago, and 5m0s are allowed"},
		},
		"a clock that is behind": {
			func(r *received) { r.now = newYear.Add(-6 * time.Minute) }, map[string]string{timestamp: "6m0s ahead of the clock, and 5m0s are allowed"},
		},
		"a timestamp in milliseconds": {
			func(r *received) { r.header.Set(timestamp, "1767225600000") },
			map[string]string{timestamp: "the value is not a Unix time in seconds with ten digits", standard: other},
		},
		"no header fields at all": {
			func(r *received) { r.header = http.Header{} },
			map[string]string{plain: "the field is missing", id: "the field is missing", timestamp: "the field is missing", standard: "the field is missing"},
		},
		"an empty field": {
			func(r *received) { r.header.Set(plain, "") }, map[string]string{plain: "the field is missing"},
		},
		"a field that is there twice": {
			func(r *received) { r.header.Add(standard, r.header.Get(standard)) }, map[string]string{standard: "the field occurs more than once"},
		},
		"a body that is no text": {
			func(r *received) { r.body = []byte{0xff, 0xfe, 0} }, both(other),
		},
	} {
		t.Run(sentence, func(t *testing.T) {
			t.Parallel()
			r := delivered(t)
			r.header = r.header.Clone()
			tc.mistake(&r)
			if diff := cmp.Diff(tc.want, r.diagnose()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSignatureOfBinaryBodyIsValid(t *testing.T) {
	t.Parallel()
	body := []byte{0xff, 0xfe, 0, '\n', '\n'}
	header, err := webhook.Sign([]credential.Secret{older}, "evt_1", newYear, body)
	if err != nil {
		t.Fatalf(`webhook.Sign("evt_1"): %v`, err)
	}
	if found := (received{older, header, body, newYear}).diagnose(); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

// FuzzADiagnosisHoldsWhatSignMakesAndNothingElse uses arbitrary header fields, bodies and
// secrets.
func FuzzADiagnosisHoldsWhatSignMakesAndNothingElse(f *testing.F) {
	f.Add(older.Reveal(), "evt_1", "1767225600", "v1,AAAA", "sha256=00", []byte(`{"id":"evt_1"}`))
	f.Add("whsec_", "", "", " v1, ,", "sha256=", []byte("[[[["))
	f.Add("", "\xff", "-1", strings.Repeat("v1,AAAA ", 100), "", []byte("\xef\xbb\xbf\r\n"))
	f.Fuzz(func(t *testing.T, secret, id, timestamp, signatures, plain string, body []byte) {
		header := http.Header{webhook.HeaderSignature: {plain}, webhook.HeaderID: {id}, webhook.HeaderTimestamp: {timestamp}, webhook.HeaderSignatures: {signatures}}
		forged := received{credential.Secret(secret), header, body, newYear}.diagnose()
		right, err := webhook.Sign([]credential.Secret{credential.Secret(secret)}, id, newYear, body)
		if err != nil {
			right = http.Header{}
		}
		if forged["X-Marketplace-Signature"] == "" && plain != right.Get(webhook.HeaderSignature) {
			// The plain signature accepts any text as its key, although such secrets are never issued.
			if _, malformed := credential.ParseWebhookSecret(credential.Secret(secret)); malformed == nil {
				t.Errorf("%q holds", plain)
			}
		}
		if forged["webhook-signature"] == "" && (err != nil || timestamp == "1767225600" && !strings.Contains(signatures, right.Get(webhook.HeaderSignatures))) {
			t.Errorf("%q holds", signatures)
		}
		if err != nil || id == "" {
			return
		}
		sound := received{credential.Secret(secret), right, body, newYear}.diagnose()
		delete(sound, "webhook-id") // the body may have any id
		if len(sound) > 0 {
			t.Errorf("Diagnose finds faults in the result of Sign: %v", sound)
		}
	})
}
