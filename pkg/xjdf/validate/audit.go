// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"strings"
	"time"

	"github.com/printmarket/printmarket/pkg/xjdf"
)

var auditRules = []row{
	newRow("AUDIT_ORDER", Semantics, both(Warning), "3.2", "Audits should be in chronological order.", "Order the audits by Header/@Time.").of("AuditPool", auditOrder),
	newRow("AUDIT_FIRST", Semantics, both(Warning), "3.2", "AuditCreated should be the first audit.", "Move AuditCreated to the front.").of("AuditPool", func(p *pass, pool *xjdf.Node) {
		if created := pool.Child("AuditCreated"); created != nil && created != pool.Children[0] {
			p.find(created, "", "AuditCreated comes after other audits.", "")
		}
	}),
	newRow("TIME_ORDER", Semantics, both(Error), "3.2.3.1", "The end must not be earlier than the start.", "Correct the start or the end.").of("ProcessRun", func(p *pass, n *xjdf.Node) {
		p.inOrder(n, "Start", "End")
	}),
	newRow("SCHEDULE_ORDER", Semantics, both(Warning), "6.59", "A schedule should end after its start, and its latest times should be after its earliest times.", "Correct the times.").of("NodeInfo", func(p *pass, n *xjdf.Node) {
		p.inOrder(n, "Start", "End")
		p.inOrder(n, "FirstStart", "LastStart")
		p.inOrder(n, "FirstEnd", "LastEnd")
	}),
	newRow("STATUS_DETAILS", Semantics, both(Warning), "A.3.21", "StatusDetails should match Status.", "Write the Status to which the details belong.").of("NodeInfo", nodeStatus).also("JobPhase", "DeviceInfo"),
} // constant

// instant returns the time of an attribute.
func instant(n *xjdf.Node, attribute string) (time.Time, bool) {
	text, given := n.Attr(attribute)
	if !given {
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
			p.find(header, "Time", "The audit is earlier than the previous audit.", "")
			return
		}
		if ok {
			last = at
		}
	}
}

func (p *pass) inOrder(n *xjdf.Node, first, last string) {
	from, begun := instant(n, first)
	if to, ended := instant(n, last); begun && ended && to.Before(from) {
		p.findf(n, last, "%s is before %s.", last, first)
	}
}

// nodeStatus compares Status with the status that the tables of StatusDetails list for
// the details: of a job, or of a device.
func nodeStatus(p *pass, n *xjdf.Node) {
	status, given := n.Attr("Status")
	details, also := n.Attr("StatusDetails")
	if !given || !also {
		return
	}
	job, device, known := p.validator.vocabulary.StatusDetails(details)
	fitting := job
	if n.Name.Local == "DeviceInfo" {
		fitting = device
	}
	if !known || fitting == "" || strings.Contains(" "+fitting+" ", " "+status+" ") {
		return
	}
	p.add(p.rule, n, "StatusDetails", func() (string, string) {
		return "StatusDetails is " + quoted(details) + ", and Status is " + quoted(status) + ".",
			"With these details Status is " + strings.ReplaceAll(fitting, " ", " or ") + "."
	})
}
