// SPDX-License-Identifier: Apache-2.0

package dashboard

// Pages are the patterns of what answers to GET.
func Pages() []string {
	var all []string
	for _, r := range new(board).routes() {
		if r.get != nil {
			all = append(all, r.pattern)
		}
	}
	return all
}
