// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// random is a reproducible source of keys for tests.
func random(seed byte) io.Reader { return rand.NewChaCha8([32]byte{seed}) }

func mint(tb testing.TB, mode tenant.Mode, seed byte) credential.Key {
	tb.Helper()
	key, err := credential.Mint(mode, random(seed))
	if err != nil {
		tb.Fatalf("credential.Mint(%q): %v", mode, err)
	}
	return key
}

func Example() {
	key, err := credential.Mint(tenant.Live, random(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := credential.Parse(key.Secret().Reveal())
	fmt.Println(again == key, again.Mode(), len(again.ID()), err)
	fmt.Println(strings.HasSuffix(fmt.Sprint(key), "_[redacted]"))
	// Output:
	// true live 10 <nil>
	// true
}

func TestMintedKeysHaveThePublishedForm(t *testing.T) {
	t.Parallel()
	for mode, prefix := range map[tenant.Mode]string{tenant.Test: "pmk_test_", tenant.Live: "pmk_live_"} {
		for seed := range byte(50) {
			key := mint(t, mode, seed)
			text := key.Secret().Reveal()
			if len(text) != credential.KeyLen || !strings.HasPrefix(text, prefix) || text[19] != '_' {
				t.Fatalf("minted %q", text)
			}
			if key.Mode() != mode || key.ID() != text[9:19] {
				t.Errorf("mode %s, id %s of %q", key.Mode(), key.ID(), text)
			}
			if want := sha256.Sum256([]byte(text)); key.Digest() != want {
				t.Error("the digest is not the SHA-256 of the whole text")
			}
			if want := base62(crc32.ChecksumIEEE([]byte(text[:52]))); text[52:] != want {
				t.Errorf("checksum %q, want %q", text[52:], want)
			}
			if again, err := credential.Parse(text); err != nil || again != key {
				t.Errorf("Parse(%q) = %v, %v", text, again, err)
			}
		}
	}
}

// base62 is the plain way to write the checksum.
func base62(n uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	text := make([]byte, 6)
	for i := 5; i >= 0; i-- {
		text[i] = digits[n%62]
		n /= 62
	}
	return string(text)
}

func TestMintFails(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		mode   tenant.Mode
		random io.Reader
	}{
		"for an unknown mode":                {"staging", random(1)},
		"for no mode":                        {"", random(1)},
		"when randomness is at its end":      {tenant.Live, strings.NewReader("")},
		"when randomness ends in the secret": {tenant.Live, strings.NewReader("0123456789abcdef")},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := credential.Mint(tc.mode, tc.random)
			if err == nil || !key.IsZero() {
				t.Errorf("Mint = %v, %v; want the zero key and an error", key, err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	valid := mint(t, tenant.Live, 7).Secret().Reveal()
	at := func(i int, c byte) string { return valid[:i] + string(c) + valid[i+1:] }
	swapped := []byte(valid)
	swapped[30], swapped[31] = swapped[31], swapped[30]
	tests := map[string]string{
		"an empty text":              "",
		"a text without an end":      strings.Repeat("a", 1<<20),
		"a key cut by one character": valid[:len(valid)-1],
		"a key with one more":        valid + "0",
		"a key with a space":         " " + valid[:len(valid)-1],
		"a key with a newline":       valid[:len(valid)-1] + "\n",
		"an unknown kind":            "pmk_prod_" + valid[9:],
		"an upper-case prefix":       "PMK_LIVE_" + valid[9:],
		"the other kind's prefix":    "pmk_test_" + valid[9:],
		"a wrong separator":          at(19, '-'),
		"a hyphen in the id":         at(12, '-'),
		"an umlaut in the secret":    valid[:30] + "ü" + valid[32:],
		"a NUL in the secret":        at(30, 0),
		"two swapped characters":     string(swapped),
		"another secret":             at(25, other(valid[25])),
		"another id":                 at(10, other(valid[10])),
		"another checksum":           at(57, other(valid[57])),
		"a checksum of punctuation":  valid[:52] + "......",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key, err := credential.Parse(text)
			if !errors.Is(err, credential.ErrMalformed) || !key.IsZero() {
				t.Fatalf("Parse = %v, %v; want ErrMalformed", key, err)
			}
			if len(text) > 8 && strings.Contains(err.Error(), text[:8]) {
				t.Errorf("the error holds the key: %v", err)
			}
		})
	}
}

func other(c byte) byte {
	if c == 'x' {
		return 'y'
	}
	return 'x'
}

func TestZeroKeyIsEmpty(t *testing.T) {
	t.Parallel()
	var key credential.Key
	if key.Mode() != "" || key.ID() != "" || key.Digest() != (credential.Digest{}) || !key.IsZero() || fmt.Sprint(key) != "[redacted]" {
		t.Errorf("the zero key is %v, mode %q, id %q", key, key.Mode(), key.ID())
	}
}

func TestDigestText(t *testing.T) {
	t.Parallel()
	digest := mint(t, tenant.Test, 3).Digest()
	text := digest.String()
	if back, err := credential.ParseDigest(text); err != nil || back != digest || text != hex.EncodeToString(digest[:]) {
		t.Errorf("ParseDigest(%s) = %s, %v", text, back, err)
	}
	var decoded struct{ D credential.Digest }
	content, err := json.Marshal(struct{ D credential.Digest }{digest})
	if err != nil || json.Unmarshal(content, &decoded) != nil || decoded.D != digest {
		t.Errorf("%s decodes to %s", content, decoded.D)
	}
	for name, text := range map[string]string{
		"empty": "", "too short": text[:63], "too long": text + "0", "upper case": strings.Repeat("A", 64), "no digits": strings.Repeat("g", 64),
		"no low digit": strings.Repeat("0g", 32),
	} {
		if _, err := credential.ParseDigest(text); !errors.Is(err, credential.ErrDigest) {
			t.Errorf("%s: error = %v, want ErrDigest", name, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"D":"xyz"}`), &decoded); !errors.Is(err, credential.ErrDigest) {
		t.Errorf("a bad digest decodes with %v", err)
	}
}

// TestSecretsDoNotLeak checks that printing, encoding and logging never reveal a
// secret.
func TestSecretsDoNotLeak(t *testing.T) {
	t.Parallel()
	key := mint(t, tenant.Live, 9)
	hidden := key.Secret().Reveal()[20:]
	secret := key.Secret()
	type holder struct {
		Secret  credential.Secret
		Pointer *credential.Secret
		Key     credential.Key
		Map     map[string]credential.Secret
	}
	value := holder{secret, &secret, key, map[string]credential.Secret{"a": secret}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		fmt.Fprintf(&out, verb+"\n", value)
		fmt.Fprintf(&out, verb+"\n", secret)
		fmt.Fprintf(&out, verb+"\n", key)
	}
	content, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("json.Marshal: %v", err)
	}
	out.Write(content)
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("x", "secret", secret, "key", key, "value", value)
	}
	fmt.Fprintln(&out, fmt.Errorf("wrapped: %v %s", key, secret))
	for _, form := range []string{hidden, hex.EncodeToString([]byte(hidden)), strings.ToUpper(hex.EncodeToString([]byte(hidden)))} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the secret leaks into:\n%s", out.String())
		}
	}
	if !strings.Contains(out.String(), key.ID()) {
		t.Error("the id, which may be shown, is missing")
	}
}

func TestParseAndDigestDoNotAllocate(t *testing.T) {
	text := mint(t, tenant.Live, 5).Secret().Reveal()
	var sink credential.Digest
	allocations := testing.AllocsPerRun(200, func() {
		key, err := credential.Parse(text)
		if err != nil {
			t.Errorf("credential.Parse(%q): %v", text, err)
		}
		sink = key.Digest()
	})
	if allocations != 0 {
		t.Errorf("Parse and Digest allocate %v times", allocations)
	}
	if sink == (credential.Digest{}) {
		t.Error("no digest")
	}
}

func BenchmarkParseAndDigest(b *testing.B) {
	text := mint(b, tenant.Live, 5).Secret().Reveal()
	b.ReportAllocs()
	for b.Loop() {
		key, err := credential.Parse(text)
		if err != nil {
			b.Fatalf("credential.Parse(%q): %v", text, err)
		}
		_ = key.Digest()
	}
}

func FuzzParse(f *testing.F) {
	f.Add(mint(f, tenant.Live, 1).Secret().Reveal())
	f.Add(mint(f, tenant.Test, 2).Secret().Reveal())
	f.Add("pmk_live_0123456789_01234567890123456789012345678901abcdef")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := credential.Parse(text)
		if err != nil {
			if !errors.Is(err, credential.ErrMalformed) || !key.IsZero() {
				t.Errorf("Parse(%q) = %v, %v", text, key, err)
			}
			return
		}
		if key.Secret().Reveal() != text {
			t.Error("an accepted key must equal its parsed text")
		}
		if _, err := tenant.ParseMode(string(key.Mode())); err != nil {
			t.Errorf("mode %q", key.Mode())
		}
	})
}
