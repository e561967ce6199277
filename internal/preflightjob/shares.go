// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql/driver"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/recordid"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// The bounds of shares.
const (
	// SharePrefix begins the ids of shares.
	SharePrefix recordid.Prefix = "shr_"
	// DefaultShareTime replaces the lifetime 0 of a share.
	DefaultShareTime = 7 * 24 * time.Hour
	// MaxShares is the number of valid shares of a job.
	MaxShares = 20
	// A token is the symbols of the job's id and a secret of random bytes in base64.
	secretBytes   = 32
	secretSymbols = 43
	jobSymbols    = 26
)

// ErrTooManyShares means that a job has [MaxShares] valid shares.
var ErrTooManyShares = errors.New("the job has the maximum number of shares")

// Share lets everyone who has its token read the report of a job.
type Share struct {
	ID string `json:"id"`
	// Digest is the SHA-256 of the token, which is not stored.
	Digest []byte `json:"digest"`
	// CreatedAt and ExpiresAt are UTC in whole milliseconds. ExpiresAt is the first instant at
	// which the token is not valid any more.
	CreatedAt time.Time `json:"createdAt"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Shares holds the shares of a job, the oldest first.
type Shares []Share

// valid returns the shares that have not expired.
func (s Shares) valid(now time.Time) Shares {
	return slices.DeleteFunc(slices.Clone(s), func(one Share) bool { return !now.Before(one.ExpiresAt) })
}

// Value implements [driver.Valuer].
func (s Shares) Value() (driver.Value, error) {
	if len(s) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(s)
	return string(text), err
}

// Scan implements [database/sql.Scanner] for values of [Shares.Value].
func (s *Shares) Scan(stored any) error {
	if stored == nil {
		*s = nil
		return nil
	}
	return scanJSON(stored, s, "shares of a job")
}

// Share adds a share to an owned job and returns it with its token. The share expires after the
// lifetime, and never after the job. In addition to the errors of Report, Share returns
// [ErrTooManyShares].
func (s *Service) Share(ctx context.Context, owner tenant.ID, id string, lifetime time.Duration) (Share, string, error) {
	if _, err := s.succeeded(ctx, owner, id); err != nil {
		return Share{}, "", err
	}
	now := s.now()
	if lifetime == 0 {
		lifetime = DefaultShareTime
	}
	shareID, err := recordid.New(SharePrefix, now, s.config.Random)
	if err != nil {
		return Share{}, "", err
	}
	secret := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.config.Random, secret); err != nil {
		return Share{}, "", fmt.Errorf("share job: %w", err)
	}
	// The token names its job, so that no index of digests is needed.
	token := strings.TrimPrefix(id, string(recordid.Job)) + base64.RawURLEncoding.EncodeToString(secret)
	digest := sha256.Sum256([]byte(token))
	share := Share{ID: shareID, Digest: digest[:], CreatedAt: now, ExpiresAt: now.Add(lifetime)}
	err = s.amendShares(ctx, owner, id, func(job Job, shares Shares) (Shares, error) {
		if len(shares) >= MaxShares {
			return nil, ErrTooManyShares
		}
		if share.ExpiresAt.After(job.ExpiresAt) {
			share.ExpiresAt = job.ExpiresAt
		}
		return append(shares, share), nil
	})
	if err != nil {
		return Share{}, "", err
	}
	return share, token, nil
}

// Shares returns the valid shares of an owned job, with the errors of Report.
func (s *Service) Shares(ctx context.Context, owner tenant.ID, id string) (Shares, error) {
	job, err := s.succeeded(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return job.Shares.valid(s.now()), nil
}

// Unshare ends a share of an owned job. In addition to the errors of Report, it returns
// transaction.ErrNotFound for a share that the job does not have, or that has expired.
func (s *Service) Unshare(ctx context.Context, owner tenant.ID, id, shareID string) error {
	if _, err := s.succeeded(ctx, owner, id); err != nil {
		return err
	}
	return s.amendShares(ctx, owner, id, func(_ Job, shares Shares) (Shares, error) {
		left := slices.DeleteFunc(slices.Clone(shares), func(one Share) bool { return one.ID == shareID })
		if len(left) == len(shares) {
			return nil, transaction.ErrNotFound
		}
		return left, nil
	})
}

// amendShares replaces the valid shares of an owned job by those that decide returns. The version of
// the job does not change.
func (s *Service) amendShares(ctx context.Context, owner tenant.ID, id string, decide func(Job, Shares) (Shares, error)) error {
	now := s.now()
	err := s.config.Store.AmendShares(ctx, owner, id, func(job Job) (Shares, error) { return decide(job, job.Shares.valid(now)) })
	if err != nil {
		return fmt.Errorf("amend shares: %w", err)
	}
	return nil
}

// Shared returns the succeeded job of a valid token. Every other token, whatever the reason, is
// transaction.ErrNotFound.
func (s *Service) Shared(ctx context.Context, token string) (Job, error) {
	if len(token) != jobSymbols+secretSymbols {
		return Job{}, transaction.ErrNotFound
	}
	id := string(recordid.Job) + token[:jobSymbols]
	if !recordid.Valid(recordid.Job, id) {
		return Job{}, transaction.ErrNotFound
	}
	job, err := s.config.Store.SharedJob(ctx, id)
	if err != nil {
		return Job{}, fmt.Errorf("get shared job: %w", err)
	}
	now, digest := s.now(), sha256.Sum256([]byte(token))
	found := false
	for _, share := range job.Shares.valid(now) {
		found = subtle.ConstantTimeCompare(share.Digest, digest[:]) == 1 || found
	}
	if !found || job.Status != Succeeded || job.Gone(now) {
		return Job{}, transaction.ErrNotFound
	}
	return job, nil
}
