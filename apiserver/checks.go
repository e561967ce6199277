// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/telemetry"
	"github.com/printmarket/printmarket/internal/transaction"
)

// DatabaseCheck fails while the database does not respond. A database that is only
// busy passes.
//
// For API servers the check is advisory, because all replicas share the database: if no
// replica were ready, partners would get the response of an ingress instead of a
// problem. The result of the last check is a metric, which is absent before the first.
func DatabaseCheck(ping func(context.Context) error, advisory bool, metrics *telemetry.Metrics) Check {
	var last atomic.Pointer[float64]
	metrics.GaugeIf("printmarket_database_up", "1 if the database responded at the last readiness check, else 0.", func() (float64, bool) {
		if up := last.Load(); up != nil {
			return *up, true
		}
		return 0, false
	})
	return Check{Name: "store", Advisory: advisory, Run: func(ctx context.Context) error {
		err, up := unlessBusy(ping(ctx)), 0.0
		if err == nil {
			up = 1
		}
		last.Store(&up)
		return err
	}}
}

// maxSkew is the tolerated difference between the clocks of the database and the
// process: quota windows follow the database, schedules follow the process.
const maxSkew = 2 * time.Second

// ClockCheck warns when the clocks of the database and this process differ. skew
// returns how far the clock of the database is ahead.
func ClockCheck(skew func(context.Context) (time.Duration, error), metrics *telemetry.Metrics) Check {
	var last atomic.Int64
	metrics.Gauge("printmarket_database_clock_skew_seconds",
		"Seconds by which the clock of the database was ahead of the local clock at the last readiness check.",
		func() float64 { return time.Duration(last.Load()).Seconds() })
	return Check{Name: "clock", Advisory: true, Run: func(ctx context.Context) error {
		ahead, err := skew(ctx)
		if err != nil {
			return unlessBusy(err)
		}
		last.Store(int64(ahead))
		if ahead.Abs() > maxSkew {
			err = fmt.Errorf("the database's clock is %s ahead of ours", ahead.Round(time.Millisecond))
		}
		return err
	}}
}

func unlessBusy(err error) error {
	if errors.Is(err, transaction.ErrOverloaded) {
		return nil
	}
	return err
}

// PostureCheck fails while no posture is in force. healthy returns the fault of the
// source of the posture.
func PostureCheck(healthy func() error, gates *posture.Gates, now func() time.Time) Check {
	return Check{Name: "posture", Run: func(context.Context) error {
		if err := healthy(); err != nil {
			return err
		}
		if gates.Current(now()) == nil {
			return errors.New("the posture is older than --gates-max-staleness")
		}
		return nil
	}}
}

// GateSecretCheck warns when the gate Secret is missing or invalid. All replicas share
// the Secret, and each continues with the last valid one. A replica that has read none
// also has no posture, which its [PostureCheck] reports.
func GateSecretCheck(fault func() error) Check {
	return Check{Name: "gate-secret", Advisory: true, Run: func(context.Context) error { return fault() }}
}
