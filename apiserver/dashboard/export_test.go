// SPDX-License-Identifier: Apache-2.0

package dashboard

// Pages are the patterns of what answers to GET, with a tour and the view for operators.
func Pages() []string {
	var all []string
	for _, r := range (&server{Config: Config{Tour: new(Tour), Ops: new(Ops)}}).routes() {
		if r.get != nil {
			all = append(all, r.pattern)
		}
	}
	return all
}

// OpsPages are those of them that are for operators.
func OpsPages() []string {
	var all []string
	for _, r := range (&server{Config: Config{Ops: new(Ops)}}).opsRoutes() {
		all = append(all, r.pattern)
	}
	return all
}
