// SPDX-License-Identifier: Apache-2.0

package costing

import (
	"fmt"

	"github.com/printmarket/printmarket/internal/masterdata/authority"
)

// variableData finds the services for the variable data of a part of flat pieces. Each product
// is one record.
func (r *reader) variableData(p *part, j *job) {
	n := intentOf("VariableIntent", p.node)
	if n == nil || !p.flatPieces() {
		return
	}
	kind := attr(n, "VariableType")
	preparation := r.priced(authority.DataPreparation, func(*authority.Service) bool { return true })
	record := r.priced(authority.VariableRecord, func(s *authority.Service) bool { return s.VariableType == kind })
	if preparation == nil || record == nil {
		r.left(n, "VariableType", fmt.Sprintf("the owner offers no preparation, or no record, for variable data of the type %.40q", kind))
		return
	}
	p.variable = true
	j.services = append(j.services, service{Service: preparation}, service{Service: record})
}
