// SPDX-License-Identifier: Apache-2.0

package vocabulary

// statusPair is what tables A.77 to A.79 say of one value of @StatusDetails:
// the statuses of the job and of the device that go with it, separated by a
// space where there are several.
type statusPair struct {
	node, device string
}

// StatusDetails says which status of a job and which status of a device a
// value of @StatusDetails goes with (A.3.21). Either is empty if the detail says
// nothing about it, and names several values, separated by spaces, if it goes
// with each of them: JobMissResources is "Waiting InProgress". ok is false for
// a value outside the tables, which the list allows.
func (v *Vocabulary) StatusDetails(name string) (node, device string, ok bool) {
	pair, ok := v.statuses[name]
	return pair.node, pair.device, ok
}
