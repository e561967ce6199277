// SPDX-License-Identifier: Apache-2.0

package queue

import "context"

// SubmitsTogether is how many submits go in one round trip.
const SubmitsTogether = submitsTogether

// FinishTogether ends jobs in one call, as those are that end while another one is
// told of, and takes up to next of those that come after them, one for each.
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
			own, err = c.after(ctx, end.Out)
			granted = append(granted, own...)
		}
		errs = append(errs, err)
	}
	return granted, errs
}
