// SPDX-License-Identifier: Apache-2.0

package preflightjob

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/cursor"
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
)

// shareScope binds tokens of shares, which are sealed with the key of list cursors.
var shareScope = cursor.Scope{Query: "shares of preflight jobs"} // constant

// ErrTooManyShares means that a job has [MaxShares] valid shares.
var ErrTooManyShares = errors.New("the job has the maximum number of shares")

// Share lets everyone who has its token read the report of a job.
type Share struct {
	ID string `json:"id"`
	// Token is the ids of the job and of the share, sealed with the key of the installation. It is
	// not stored: Share and Shares of [Service] derive it.
	Token string `json:"-"`
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

// Share adds a share to an owned job. The share expires after the lifetime, and never after the job.
// In addition to the errors of Report, Share returns [ErrTooManyShares].
func (s *Service) Share(ctx context.Context, owner tenant.ID, id string, lifetime time.Duration) (Share, error) {
	if _, err := s.succeeded(ctx, owner, id); err != nil {
		return Share{}, err
	}
	now := s.now()
	if lifetime == 0 {
		lifetime = DefaultShareTime
	}
	shareID, err := recordid.New(SharePrefix, now, s.config.Random)
	if err != nil {
		return Share{}, err
	}
	share := Share{ID: shareID, CreatedAt: now, ExpiresAt: now.Add(lifetime)}
	if share.Token, err = s.shareToken(id, shareID); err != nil {
		return Share{}, err
	}
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
		return Share{}, err
	}
	return share, nil
}

// shareToken returns the token of a share of a job.
func (s *Service) shareToken(jobID, shareID string) (string, error) {
	token, err := s.config.Cursors.Seal(shareScope, jobID+" "+shareID)
	if err != nil {
		return "", fmt.Errorf("token of a share: %w", err)
	}
	return token, nil
}

// Shares returns the valid shares of an owned job, with the errors of Report.
func (s *Service) Shares(ctx context.Context, owner tenant.ID, id string) (Shares, error) {
	job, err := s.succeeded(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	shares := job.Shares.valid(s.now())
	for i := range shares {
		if shares[i].Token, err = s.shareToken(id, shares[i].ID); err != nil {
			return nil, err
		}
	}
	return shares, nil
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
// transaction.ErrNotFound. A token that this installation did not make is rejected without a query.
func (s *Service) Shared(ctx context.Context, token string) (Job, error) {
	ids, err := s.config.Cursors.Open(shareScope, token)
	if errors.Is(err, cursor.ErrInvalid) {
		return Job{}, transaction.ErrNotFound
	}
	if err != nil {
		return Job{}, fmt.Errorf("open shared job: %w", err)
	}
	jobID, shareID, _ := strings.Cut(ids, " ")
	job, err := s.config.Store.SharedJob(ctx, jobID)
	if err != nil {
		return Job{}, fmt.Errorf("get shared job: %w", err)
	}
	now := s.now()
	shared := slices.ContainsFunc(job.Shares.valid(now), func(one Share) bool { return one.ID == shareID })
	if !shared || job.Status != Succeeded || job.Gone(now) {
		return Job{}, transaction.ErrNotFound
	}
	return job, nil
}
