// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"errors"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
)

var (
	// ErrLost means that the lease is no longer the caller's: it ran out and
	// another worker has the job, or the job was cancelled. Stop working on it.
	ErrLost = errors.New("lease lost")
	// ErrFull means that Redis has no memory left. What is in the queue goes
	// on; nothing more comes in.
	ErrFull = errors.New("redis is full")
	// ErrFormat means that a newer release keeps the queue in a form that this
	// one does not know. It must not touch it.
	ErrFormat = errors.New("the queue is in the format of a newer release")
	// ErrUnknown means that the queue has no such job.
	ErrUnknown = errors.New("no such job in the queue")
)

// failed names the operation and gives the error its type.
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

// isNoGroup looks inside the text: inside a script, servers wrap the error.
func isNoGroup(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "NOGROUP") || strings.Contains(err.Error(), "no such key"))
}

// isRedisError tells an answer of the server from the lack of one.
func isRedisError(err error) bool {
	var refusal redis.Error
	return errors.As(err, &refusal)
}
