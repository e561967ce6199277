// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrLost means that the caller no longer has the lease: the lease expired and
	// another worker has the job, or the job was cancelled. The caller must stop its work.
	ErrLost = errors.New("lease lost")
	// ErrFull means that Redis has no memory left. Jobs in the queue continue, but the
	// queue accepts no new jobs.
	ErrFull = errors.New("redis is full")
	// ErrFormat means that a newer release keeps the queue in a form that this release
	// does not support. This release must not use the queue.
	ErrFormat = errors.New("the queue is in the format of a newer release")
	// ErrUnknown means that the queue has no such job.
	ErrUnknown = errors.New("no such job in the queue")
)

// failed wraps an error with the operation and its type.
func failed(op string, err error) error {
	switch {
	case err == nil:
		return nil
	case strings.HasPrefix(err.Error(), "OOM "):
		return fmt.Errorf("%s: %w: %s", op, ErrFull, err.Error())
	case strings.HasPrefix(err.Error(), "PMFORMAT "):
		return fmt.Errorf("%s: %w: %s", op, ErrFormat, strings.TrimPrefix(err.Error(), "PMFORMAT "))
	default:
		return fmt.Errorf("%s: %w", op, err)
	}
}

// isNoGroup searches the text, because servers wrap the error inside a script.
func isNoGroup(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "NOGROUP") || strings.Contains(err.Error(), "no such key"))
}

// isRedisError reports whether the server answered with an error.
func isRedisError(err error) bool {
	var refusal redis.Error
	return errors.As(err, &refusal)
}
