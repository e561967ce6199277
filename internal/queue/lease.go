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

// Order is what a person wants of a job.
type Order string

// The orders.
const (
	// NoOrder is the ordinary case: do the job.
	NoOrder Order = ""
	// OrderCancel ends the job's record as cancelled.
	OrderCancel Order = "cancel"
	// OrderRetry opens the job's record again if it failed, and does the job.
	OrderRetry Order = "retry"
)

// The outcomes of orders that were carried out; any other says why one was not.
const (
	Cancelled   = "cancelled"
	TriedAgain  = "tried again"
	AlreadyHeld = "a worker has the job already"
)

// Lease is a job in the hands of one consumer.
type Lease struct {
	ID     string
	Tenant tenant.ID
	// Attempt counts from 1 and never falls; with the consumer's name it is the
	// fence. Numbers may be left out.
	Attempt int
	// Lost is how often a worker began the job and its lease ran out.
	Lost int
	// Waited is how long the job could have been taken and was not.
	Waited time.Duration
	Order  Order
	// Since is the number of the last attempt before Order was given.
	Since int
}

// given is an order, with the last attempt before it.
type given struct {
	Order Order
	Since int
}

// none is the word of a job's text that says nothing.
const none = "-"

// word is a word of a job; empty if it says nothing.
func word(value any) string {
	if w := text(value); w != none {
		return w
	}
	return ""
}

// orderOf reads what a script has noted of an order: "retry:5".
func orderOf(word string) given {
	order, since, _ := strings.Cut(word, ":")
	n, _ := strconv.Atoi(since) // 0 is no attempt
	return given{Order(order), n}
}

// errMalformed means that Redis holds something that is no job of ours.
var errMalformed = errors.New("malformed job in the queue")

// leaseWords are the words of a row that a script returns.
const leaseWords = 6

// parseLeases reads rows. A row that names nobody is returned apart, for it to
// be put aside; a reply that has no rows is an error.
func parseLeases(rows []any) (leases, malformed []Lease, err error) {
	for _, row := range rows {
		words := strings.Split(text(row), " ")
		if len(words) != leaseWords {
			return nil, nil, fmt.Errorf("%w: a row of %T, %d words", errMalformed, row, len(words))
		}
		lease, err := parseLease(words)
		if err != nil {
			malformed = append(malformed, lease)
			continue
		}
		leases = append(leases, lease)
	}
	return leases, malformed, nil
}

func parseLease(words []string) (Lease, error) {
	order := orderOf(word(words[5]))
	lease := Lease{ID: words[0], Order: order.Order, Since: order.Since}
	var failures [4]error
	lease.Attempt, failures[0] = strconv.Atoi(words[2])
	lease.Lost, failures[1] = strconv.Atoi(words[3])
	waited, err := strconv.ParseInt(words[4], 10, 64)
	lease.Waited, failures[2] = time.Duration(waited)*time.Millisecond, err
	lease.Tenant, failures[3] = tenant.Parse(words[1])
	return lease, errors.Join(failures[:]...)
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
