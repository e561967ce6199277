// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/tenant"
)

// Order is an operator's instruction for a job.
type Order string

// The orders.
const (
	// NoOrder is the default: run the job.
	NoOrder Order = ""
	// OrderCancel ends the job's record as cancelled.
	OrderCancel Order = "cancel"
	// OrderRetry opens the job's record again if it failed, and runs the job.
	OrderRetry Order = "retry"
)

// The outcomes of orders that were carried out; any other text is the reason of a refusal.
const (
	Cancelled   = "cancelled"
	TriedAgain  = "tried again"
	AlreadyHeld = "a worker has the job already"
)

// Lease is a job that one consumer holds.
type Lease struct {
	ID     string
	Tenant tenant.ID
	// Attempt counts from 1 and never decreases; numbers may be skipped. With the
	// consumer's name it fences the job.
	Attempt int
	// Lost counts the attempts whose lease expired after a worker began the job.
	Lost int
	// Waited is the time from when the job was ready until the worker took it.
	Waited time.Duration
	Order  Order
	// Since is the number of the last attempt before Order.
	Since int
}

// given is an order with the last attempt before it.
type given struct {
	Order Order
	Since int
}

// none marks an absent word in the text of a job.
const none = "-"

// word returns a word of a job, or an empty text for an absent one.
func word(value any) string {
	if w := text(value); w != none {
		return w
	}
	return ""
}

// orderOf parses an order as scripts store it: "retry:5".
func orderOf(word string) given {
	order, since, _ := strings.Cut(word, ":")
	n, _ := strconv.Atoi(since) // 0 is no attempt
	return given{Order(order), n}
}

// errMalformed means that a value in Redis is not a job of this program.
var errMalformed = errors.New("malformed job in the queue")

// leaseWords is the number of words in a row that a script returns.
const leaseWords = 6

// parseLeases parses rows. It returns malformed jobs separately, so that the caller can move
// them to the dead letters. A reply that does not consist of rows is an error.
func parseLeases(rows []any) (leases, malformed []Lease, err error) {
	for _, row := range rows {
		words := strings.Split(text(row), " ")
		if len(words) != leaseWords {
			return nil, nil, fmt.Errorf("%w: a row of %T, %d words", errMalformed, row, len(words))
		}
		order := orderOf(word(words[5]))
		lease := Lease{ID: words[0], Order: order.Order, Since: order.Since}
		var failures [4]error
		lease.Attempt, failures[0] = strconv.Atoi(words[2])
		lease.Lost, failures[1] = strconv.Atoi(words[3])
		waited, err := strconv.ParseInt(words[4], 10, 64)
		lease.Waited, failures[2] = time.Duration(waited)*time.Millisecond, err
		lease.Tenant, failures[3] = tenant.Parse(words[1])
		if errors.Join(failures[:]...) != nil {
			malformed = append(malformed, lease)
			continue
		}
		leases = append(leases, lease)
	}
	return leases, malformed, nil
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int64:
		return strconv.FormatInt(v, 10)
	default:
		return ""
	}
}
