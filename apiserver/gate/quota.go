// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"strings"
	"time"

	"github.com/printmarket/printmarket/internal/transaction"
)

// Quota returns the quota of the call's capability.
func (c *Call) Quota() transaction.Quota {
	return transaction.Quota{Limit: c.Decision.Quota.Limit, Window: c.Decision.Quota.Window}
}

// ReportQuota adds the state of the quota of the call's capability to the fields
// RateLimit-Policy and RateLimit, after the rate limit. If the store cannot read the use,
// the fields have only the rate limit: the record was created.
func (c *Call) ReportQuota(quotas Quotas) {
	operation, counted := CountedOperation(c.Decision.Capability)
	if !counted {
		return
	}
	usage, err := quotas.QuotaUsage(c.Context(), c.Tenant(), operation, c.Quota(), c.Now)
	if err != nil {
		return
	}
	c.addQuota(c.Quota(), max(0, c.Quota().Limit-usage.Used), usage.Ends.Sub(c.Now))
}

// addQuota adds one item to each field: `"rfq-create";q=1000;w=86400` and
// `"rfq-create";r=988;t=41217`. The name is the one of the operation, because a capability
// may have the name of its surface.
func (c *Call) addQuota(quota transaction.Quota, remaining int64, reset time.Duration) {
	operation, counted := CountedOperation(c.Decision.Capability)
	if !counted {
		return
	}
	name := strings.ReplaceAll(string(operation), ".", "-")
	c.addItem("Ratelimit-Policy", fmt.Sprintf("%q;q=%d;w=%d", name, quota.Limit, seconds(quota.Window)))
	c.addItem("Ratelimit", fmt.Sprintf("%q;r=%d;t=%d", name, remaining, max(0, seconds(reset))))
}

// addItem appends to a list field. It replaces the slice, which calls share.
func (c *Call) addItem(field, item string) {
	header := c.Writer.Header()
	if present := header[field]; len(present) > 0 {
		item = present[0] + ", " + item
	}
	header[field] = []string{item}
}
