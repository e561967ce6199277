-- SPDX-License-Identifier: Apache-2.0
-- The events of RFQs are kept as their history; only events of jobs are purged. The first index
-- lists the history of an RFQ, the second the events that can be purged.

-- +goose Up
CREATE INDEX outbox_of_rfq ON outbox (subject, seq) WHERE substr(subject, 1, 4) = 'rfq_';
CREATE INDEX outbox_to_purge ON outbox (id) WHERE substr(subject, 1, 4) <> 'rfq_';

-- +goose Down
DROP INDEX outbox_to_purge;
DROP INDEX outbox_of_rfq;
