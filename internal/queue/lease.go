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

// leaseFields are the columns of a row that a script returns.
const leaseFields = 7

// parseLeases reads rows. A row that names nobody is returned apart, for it to
// be put aside; a reply that has no rows is an error.
func parseLeases(rows []any) (leases, malformed []Lease, err error) {
	for _, row := range rows {
		fields, ok := row.([]any)
		if !ok || len(fields) != leaseFields {
			return nil, nil, fmt.Errorf("%w: a row of %T", errMalformed, row)
		}
		lease, err := parseLease(fields)
		if err != nil {
			malformed = append(malformed, lease)
			continue
		}
		leases = append(leases, lease)
	}
	return leases, malformed, nil
}

func parseLease(fields []any) (Lease, error) {
	order := orderOf(word(fields[5]))
	lease := Lease{ID: text(fields[0]), Order: order.Order, Since: order.Since}
	var failures [4]error
	lease.Attempt, failures[0] = strconv.Atoi(text(fields[2]))
	lease.Lost, failures[1] = strconv.Atoi(text(fields[3]))
	waited, err := strconv.ParseInt(text(fields[4]), 10, 64)
	lease.Waited, failures[2] = time.Duration(waited)*time.Millisecond, err
	lease.Tenant, failures[3] = tenant.Parse(text(fields[1]))
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
