// SPDX-License-Identifier: Apache-2.0

// Package demo creates the demo set: four partners and the operations team of the
// marketplace, with their keys and manifests, a sample PDF, and the file of variables that
// scripts read.
//
// The set is config/samples, in which the keys of one data directory replace the digests.
// `printmarket dev` writes it to a directory that it watches; a local cluster applies it to
// its API server.
package demo

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/printmarket/printmarket/config"
	"github.com/printmarket/printmarket/internal/credential"
	"github.com/printmarket/printmarket/internal/tenant"
)

// key is one key of the demo set: which dummy digest of the samples it
// replaces, and the variable of dev.env that it goes into.
type key struct {
	variable string
	mode     tenant.Mode
	dummy    int
}

// keys is in the order of the dummies in config/samples.
var keys = [...]key{
	{"ACME_LIVE_KEY", tenant.Live, 1},
	{"ACME_TEST_KEY", tenant.Test, 2},
	{"ACME_NOSCOPE_KEY", tenant.Live, 3},
	{"ACME_BRIDGE_KEY", tenant.Live, 4},
	{"ACME_MEDIA_KEY", tenant.Live, 5},
	{"STARK_LIVE_KEY", tenant.Live, 6},
	{"GLOBEX_LIVE_KEY", tenant.Live, 7},
	{"INITECH_LIVE_KEY", tenant.Live, 8},
	{"PLATFORM_LIVE_KEY", tenant.Live, 9},
	{"PLATFORM_TEST_KEY", tenant.Test, 10},
}

// A product of the demo catalog, its group, and a group without the product.
const (
	Product       = "print:flyers:a5"
	Category      = "commercial-print"
	OtherCategory = "stationery"
	// Media is the id of acme's demo paper; costing reads it.
	Media = "acme-silk-135"
	// Scheme is the signature scheme of the sender: the shortest to try by hand.
	Scheme = "Body"
	// Sender is the XJMF sender of acme.
	Sender = "acme-mis"
)

const (
	dummySecret    = "REPLACE-THIS-DUMMY-SECRET-BEFORE-USE-0000000001"
	secretVariable = "XJMF_SECRET"
	keysFile       = "demo-keys.json"
)

// Secrets are the demo set's keys and secrets by variable. They are written to
// the data directory, readable for its owner only, so that a restart keeps
// them; the manifests hold digests.
type Secrets map[string]string

// Open loads the keys of the data directory or makes them, and fills an
// empty resources directory with the demo set for them.
func Open(data, resources string, random io.Reader) (Secrets, error) {
	path := filepath.Join(data, keysFile)
	found := Secrets{}
	text, err := os.ReadFile(path)
	if err == nil {
		if err = json.Unmarshal(text, &found); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = found.complete(path, random)
	}
	if err != nil {
		return nil, fmt.Errorf("demo keys: %w", err)
	}
	if err := os.MkdirAll(resources, 0o700); err != nil {
		return found, err
	}
	if entries, err := os.ReadDir(resources); err != nil || len(entries) > 0 {
		return found, err
	}
	if err := writeDemo(resources, found); err != nil {
		return nil, fmt.Errorf("write the demo set: %w", err)
	}
	return found, nil
}

// complete makes and keeps what is missing: everything at first, and what a
// former version did not know of.
func (s Secrets) complete(path string, random io.Reader) error {
	before := len(s)
	for _, k := range keys {
		if s[k.variable] != "" {
			continue
		}
		minted, err := credential.Mint(k.mode, random)
		if err != nil {
			return err
		}
		s[k.variable] = minted.Secret().Reveal()
	}
	if s[secretVariable] == "" {
		raw := make([]byte, 32)
		if _, err := io.ReadFull(random, raw); err != nil {
			return err
		}
		s[secretVariable] = hex.EncodeToString(raw)
	}
	if len(s) == before {
		return nil
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return WriteAtomically(path, append(text, '\n'))
}

// writeDemo writes the samples, one object per file, with the dummies replaced.
func writeDemo(resources string, s Secrets) error {
	// The interface specification signs the body only, so the demo sender does, too.
	replace := []string{dummySecret, s[secretVariable], "scheme: TimestampBody", "scheme: " + Scheme}
	for _, k := range keys {
		parsed, err := credential.Parse(s[k.variable])
		if err != nil {
			return fmt.Errorf("%s: %w", k.variable, err)
		}
		replace = append(replace, fmt.Sprintf("%064d", k.dummy), parsed.Digest().String())
	}
	replacer := strings.NewReplacer(replace...)
	return fs.WalkDir(config.FS, config.SamplesDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || entry.Name() == "kustomization.yaml" {
			return err
		}
		text, err := fs.ReadFile(config.FS, path)
		if err != nil {
			return err
		}
		target := filepath.Join(resources, filepath.FromSlash(strings.TrimPrefix(path, config.SamplesDir+"/")))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return err
		}
		return WriteAtomically(target, []byte(replacer.Replace(string(text))))
	})
}

// SealingKey returns the key of 32 bytes in a file, and makes the file if it is
// missing. The key outlives the process, so clients can go on with a list or a session
// after a restart.
func SealingKey(path string, random io.Reader) (key [32]byte, err error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := io.ReadFull(random, key[:]); err != nil {
			return key, err
		}
		return key, WriteAtomically(path, key[:])
	}
	if err == nil && len(text) != len(key) {
		err = fmt.Errorf("%s has %d bytes, not %d", path, len(text), len(key))
	}
	copy(key[:], text)
	return key, err
}

// WriteAtomically writes a file that its owner alone can read; a reader sees
// the old content or the new, never a part.
func WriteAtomically(path string, text []byte) error {
	return renameio.WriteFile(path, text, 0o600, renameio.WithTempDir(filepath.Dir(path)))
}
