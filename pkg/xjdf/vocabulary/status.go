// SPDX-License-Identifier: Apache-2.0

package vocabulary

// statusPair holds the statuses of the job and of the device for one value of
// @StatusDetails (tables A.77 to A.79), separated by spaces.
type statusPair struct {
	node, device string
}

// StatusDetails returns the statuses of a job and of a device that fit a value of
// @StatusDetails (A.3.21). Several values are separated by spaces: JobMissResources
// returns "Waiting InProgress". Either is empty if the tables have none. ok is false for
// a value outside the tables, which the list allows.
func (v *Vocabulary) StatusDetails(name string) (node, device string, ok bool) {
	pair, ok := v.statuses[name]
	return pair.node, pair.device, ok
}
