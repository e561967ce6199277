// SPDX-License-Identifier: Apache-2.0

package dashboard

// Pages returns the patterns of all routes for GET.
func Pages() []string {
	var all []string
	for _, r := range (&server{Config: Config{Tour: new(Tour), Ops: new(Ops)}}).routes() {
		if r.get != nil {
			all = append(all, r.pattern)
		}
	}
	return all
}

// OpsPages returns the patterns of the pages for operators.
func OpsPages() []string {
	var all []string
	for _, r := range (&server{Config: Config{Ops: new(Ops)}}).opsRoutes() {
		all = append(all, r.pattern)
	}
	return all
}

// Price is what pages show of an amount.
var Price = price
