// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/credential"
)

const (
	first  = credential.Secret("printmarket-test-vector-secret-01")
	second = credential.Secret("printmarket-test-vector-secret-02")
	sentAt = "1767225600"
)

// vectors come from another implementation and apply to every client.
var vectors = []struct {
	secret                    credential.Secret
	body, signed, withTheTime string
}{
	{
		first, "",
		"75b2cb42bf232cdb8fe20d6ce62ab563c644dc13bf5b368837c15a6a8c6551b1",
		"31fffe3af6158c5ce1fff90781064bccf64476014602a6263141d7bf3e05ad63",
	},
	{
		second, "",
		"d9868088ba54593157b60ed68bd8b07173f493b20c9528211e63f6965926da90",
		"bbb8c1f192b5acc8e5472020ecec34dc0f3a29d832338c9317ae0e57f595d1a7",
	},
	{
		first, `{"Name":"XJMF"}`,
		"c29b758658e7880ecb0cf6f3163f6e19f6fac3a09010268351b579a56ce194c0",
		"2317564fe9c7e8c02915d68fcfb6a30e852eead59e05863cfc3b3fc2c7675d1e",
	},
	{
		second, `{"Name":"XJMF"}`,
		"484a90e9890768331cfe658df6f3ec39e3f1de7833517dce5fab5938446b4b0c",
		"2ac221b13b6412da84d8f18483ebd0413dd62f0b42c5e9d9328a5c7f9a96ef96",
	},
	{
		first, "zażółć 🖨\n",
		"689cde5d5d18a16f4ead8fb874be0d76e8b25132057e96817fbd0e881d4d8b67",
		"f6ea05ae05488222a675b86486fcb71c90a22c1a7dfd2bd672b2d97584b7985f",
	},
	{
		second, "zażółć 🖨\n",
		"a71080546081fde255aecd47681a33d4a990b5fde0d61281f439b6e9fbb3349e",
		"2d9935acfe1c6b54730643f51b56e56038b88220e3cd7587aab9fcd11395a19f",
	},
}

func TestSignaturesMatchThePublishedVectors(t *testing.T) {
	t.Parallel()
	for i, v := range vectors {
		for scheme, sum := range map[credential.SignatureScheme]string{credential.SignedBody: v.signed, credential.SignedTimestampBody: v.withTheTime} {
			want := "sha256=" + sum
			if got := credential.Sign(scheme, v.secret, sentAt, []byte(v.body)); got != want {
				t.Errorf("vector %d, %s: %s, want %s", i, scheme, got, want)
			}
			if !credential.VerifySignature(scheme, []credential.Secret{v.secret}, want, sentAt, []byte(v.body)) {
				t.Errorf("vector %d, %s: the signature does not verify", i, scheme)
			}
		}
	}
}

func TestBinaryBodiesAreSignedUnchanged(t *testing.T) {
	t.Parallel()
	const want = "sha256=e53d665552bf1755cb2ffc44a4ae7c5872b69939b7410c68ff6635aa97dff7df"
	if got := credential.Sign(credential.SignedBody, first, "", []byte{0, 255}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestVerifySignature(t *testing.T) {
	t.Parallel()
	body := []byte(`{"Name":"XJMF"}`)
	sign := func(scheme credential.SignatureScheme, secret credential.Secret) string {
		return credential.Sign(scheme, secret, sentAt, body)
	}
	good := sign(credential.SignedBody, first)
	both := []credential.Secret{second, first}
	for name, c := range map[string]struct {
		scheme    credential.SignatureScheme
		secrets   []credential.Secret
		header    string
		timestamp string
		body      string
		want      bool
	}{
		"the only secret fits":                                     {secrets: both[1:], header: good, want: true},
		"any of several secrets fits":                              {secrets: both, header: good, want: true},
		"the other of several secrets fits":                        {secrets: both, header: sign(credential.SignedBody, second), want: true},
		"another secret does not":                                  {secrets: both[:1], header: good},
		"without secrets nothing fits":                             {header: good},
		"a signature with the empty secret does not fit":           {secrets: []credential.Secret{""}, header: sign(credential.SignedBody, "")},
		"one byte more of body does not fit":                       {secrets: both, header: good, body: string(body) + "\n"},
		"the body's scheme leaves the timestamp open":              {secrets: both, header: good, timestamp: "1", want: true},
		"the timestamp's scheme binds it":                          {scheme: credential.SignedTimestampBody, secrets: both, header: sign(credential.SignedTimestampBody, first), want: true},
		"so another timestamp does not fit":                        {scheme: credential.SignedTimestampBody, secrets: both, header: sign(credential.SignedTimestampBody, first), timestamp: "1767225601"},
		"and a signature of the body alone does not":               {scheme: credential.SignedTimestampBody, secrets: both, header: good},
		"nor does the other way round":                             {secrets: both, header: sign(credential.SignedTimestampBody, first)},
		"an unknown scheme verifies nothing":                       {scheme: 7, secrets: both, header: sign(7, first)},
		"no header":                                                {secrets: both},
		"upper-case digits are malformed":                          {secrets: both, header: "sha256=" + strings.ToUpper(good[7:])},
		"an upper-case algorithm is malformed":                     {secrets: both, header: "SHA256=" + good[7:]},
		"another algorithm is malformed":                           {secrets: both, header: "sha512=" + good[7:]},
		"bare digits are malformed":                                {secrets: both, header: good[7:]},
		"a digit less is malformed":                                {secrets: both, header: good[:len(good)-1]},
		"a digit more is malformed":                                {secrets: both, header: good + "0"},
		"a space before is malformed":                              {secrets: both, header: " " + good},
		"a list is malformed":                                      {secrets: both, header: good + "," + good},
		"a character that is not a hexadecimal digit is malformed": {secrets: both, header: good[:len(good)-1] + "g"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.timestamp == "" {
				c.timestamp = sentAt
			}
			if c.body == "" {
				c.body = string(body)
			}
			if got := credential.VerifySignature(c.scheme, c.secrets, c.header, c.timestamp, []byte(c.body)); got != c.want {
				t.Errorf("verified = %t, want %t", got, c.want)
			}
		})
	}
}

func TestMalformedSignatureNeverMatches(t *testing.T) {
	t.Parallel()
	// A malformed header is compared as if it were a sum of its low bits.
	for _, header := range []string{"sha256=" + strings.Repeat("0", 64), "sha256=" + strings.Repeat("g", 64), ""} {
		if credential.VerifySignature(credential.SignedBody, nil, header, "", nil) {
			t.Errorf("%q verifies without a secret", header)
		}
	}
}

func TestSchemeNames(t *testing.T) {
	t.Parallel()
	for _, scheme := range credential.SignatureSchemes() {
		if got, err := credential.ParseSignatureScheme(scheme.String()); got != scheme || err != nil {
			t.Errorf("%s reads back as %s, %v", scheme, got, err)
		}
	}
	if got, err := credential.ParseSignatureScheme(""); got != credential.SignedBody || err != nil {
		t.Errorf("no name reads as %s, %v; want the default", got, err)
	}
	for _, name := range []string{"body", "Scheme(7)", credential.SignatureScheme(7).String()} {
		if _, err := credential.ParseSignatureScheme(name); !errors.Is(err, credential.ErrSignatureScheme) {
			t.Errorf("%q: error = %v, want ErrScheme", name, err)
		}
	}
}

func ExampleSign() {
	body := []byte(`{"Name":"XJMF"}`)
	fmt.Println(credential.Sign(credential.SignedBody, "printmarket-test-vector-secret-01", "", body))
	// Output: sha256=c29b758658e7880ecb0cf6f3163f6e19f6fac3a09010268351b579a56ce194c0
}

func BenchmarkVerifySignature(b *testing.B) {
	body := make([]byte, 4096)
	header := credential.Sign(credential.SignedBody, first, "", body)
	for name, secrets := range map[string][]credential.Secret{"none": nil, "one": {first}, "three": {first, second, first}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				credential.VerifySignature(credential.SignedBody, secrets, header, "", body)
			}
		})
	}
}

func FuzzVerifySignature(f *testing.F) {
	f.Add(credential.Sign(credential.SignedBody, first, "", nil), "", []byte{})
	f.Add("sha256=", "1767225600", []byte("{}"))
	f.Fuzz(func(t *testing.T, header, timestamp string, body []byte) {
		for _, scheme := range credential.SignatureSchemes() {
			right := credential.Sign(scheme, first, timestamp, body)
			if got := credential.VerifySignature(scheme, []credential.Secret{first}, header, timestamp, body); got != (header == right) {
				t.Errorf("%s: verified = %t, want %t", scheme, got, header == right)
			}
			if credential.VerifySignature(scheme, nil, header, timestamp, body) {
				t.Errorf("%s: verified without a secret", scheme)
			}
		}
	})
}
