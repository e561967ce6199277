// SPDX-License-Identifier: Apache-2.0

package dashboard

// Pages are the patterns of what answers to GET, with a tour.
func Pages() []string {
	var all []string
	for _, r := range (&board{Config: Config{Tour: new(Tour)}}).routes() {
		if r.get != nil {
			all = append(all, r.pattern)
		}
	}
	return all
}
