// SPDX-License-Identifier: Apache-2.0

package queue

import "context"

// SubmitsTogether is the number of submits in one round trip.
const SubmitsTogether = submitBatch

// FinishTogether ends jobs in one call, like jobs that end while another end is reported,
// and takes a next job for each of the first next of them.
func (c *Consumer) FinishTogether(ctx context.Context, next int, leases ...Lease) (granted []Lease, errs []error) {
	c.asking.RLock()
	defer c.asking.RUnlock()
	batch := make([]ending, len(leases))
	for i, lease := range leases {
		batch[i].lease = lease
		if i < next {
			batch[i].next = 1
		}
	}
	for i, end := range c.finishTogether(ctx, batch) {
		c.let(leases[i])
		err := end.Err
		if err == nil {
			var own []Lease
			own, err = c.nextOf(ctx, end.Out)
			granted = append(granted, own...)
		}
		errs = append(errs, err)
	}
	return granted, errs
}
