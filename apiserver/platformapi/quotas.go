// SPDX-License-Identifier: Apache-2.0

package platformapi

import (
	"time"

	"github.com/printmarket/printmarket/apiserver/gate"
	"github.com/printmarket/printmarket/apiserver/respond"
	"github.com/printmarket/printmarket/internal/posture"
	"github.com/printmarket/printmarket/internal/problem"
	"github.com/printmarket/printmarket/internal/tenant"
	"github.com/printmarket/printmarket/internal/transaction"
)

// ListQuotas serves GET /api/v1/platform/quotas.
func (s *surface) ListQuotas(c *gate.Call, params ListQuotasParams) (ListQuotasResponseObject, error) {
	limit, err := gate.PageLimit(params.Limit)
	if err != nil {
		return nil, err
	}
	if params.Capability != nil {
		capability, known := posture.ParseCapability(*params.Capability)
		if _, counted := gate.CountedOperation(capability); !known || !counted {
			return nil, problem.New(problem.CodeInvalidRequest, "The parameter capability must be a capability with a quota, for example rfq-create.")
		}
	}
	answer := ListQuotas200JSONResponse{Items: []QuotaUse{}}
	var last string
	for _, grant := range c.Quotas() {
		operation, counted := gate.CountedOperation(grant.Capability)
		position := grant.Organization + "/" + grant.Capability.String()
		if !counted || params.Organization != nil && *params.Organization != grant.Organization ||
			params.Capability != nil && *params.Capability != grant.Capability.String() ||
			params.Cursor != nil && position <= *params.Cursor {
			continue
		}
		if len(answer.Items) == limit {
			answer.NextCursor = &last
			break
		}
		use, err := s.quotaUse(c, grant, operation)
		if err != nil {
			return nil, problemOf(err)
		}
		answer.Items, last = append(answer.Items, use), position
	}
	return answer, nil
}

// quotaUse reads the use of a quota in its current window, and on each day that is kept.
func (s *surface) quotaUse(c *gate.Call, grant posture.GrantQuota, operation transaction.Operation) (QuotaUse, error) {
	owner, err := tenant.New(grant.Organization, c.Tenant().Mode)
	if err != nil {
		return QuotaUse{}, err
	}
	quota := transaction.Quota{Limit: grant.Quota.Limit, Window: grant.Quota.Window}
	usage, err := s.records.QuotaUsage(c.Context(), owner, operation, quota, c.Now)
	if err != nil {
		return QuotaUse{}, err
	}
	first := c.Now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-transaction.HistoryDays)
	days, err := s.records.QuotaDays(c.Context(), owner, operation, first)
	if err != nil {
		return QuotaUse{}, err
	}
	use := QuotaUse{
		Organization: grant.Organization, Capability: grant.Capability.String(),
		Limit: quota.Limit, WindowSeconds: int64(quota.Window.Seconds()),
		Used: usage.Used, Remaining: max(0, quota.Limit-usage.Used), ResetsAt: respond.Instant(usage.Ends),
	}
	for _, day := range days {
		use.UsedIn30Days += day.Used
		use.BusiestDayUsed = max(use.BusiestDayUsed, day.Used)
	}
	return use, nil
}
