// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"time"

	"github.com/printmarket/printmarket/internal/xjdf"
)

func auditRules() []row {
	return []row{
		newRow("AUDIT_ORDER", Semantics, both(Warning), "3.2", "Audits are in the order of time.", "Order the audits by Header/@Time.").of("AuditPool", auditOrder),
		newRow("TIME_ORDER", Semantics, both(Error), "3.2.4", "What has ended has begun before.", "Make the end no earlier than the start.").of("ProcessRun", processRunTimes),
	}
}

// instant is the time of an attribute.
func instant(n *xjdf.Node, attribute string) (time.Time, bool) {
	text, told := n.Attr(attribute)
	if !told {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	return at, err == nil
}

func auditOrder(p *pass, pool *xjdf.Node) {
	var last time.Time
	for _, audit := range pool.Children {
		header := audit.Child("Header")
		if header == nil {
			continue
		}
		at, ok := instant(header, "Time")
		if ok && at.Before(last) {
			p.find(header, "Time", "The audit is earlier than the one before.", "")
			return
		}
		if ok {
			last = at
		}
	}
}

func processRunTimes(p *pass, n *xjdf.Node) {
	start, begun := instant(n, "Start")
	if end, ended := instant(n, "End"); begun && ended && end.Before(start) {
		p.find(n, "End", "End is before Start.", "")
	}
}
