-- SPDX-License-Identifier: Apache-2.0
-- The use of quota windows that have ended, by the midnight (UTC) of the day of their
-- start.

-- +goose Up
CREATE TABLE quota_day (
    tenant    TEXT    NOT NULL,
    operation TEXT    NOT NULL,
    day       INTEGER NOT NULL CHECK (day % 86400000 = 0),
    used      INTEGER NOT NULL CHECK (used > 0),
    PRIMARY KEY (tenant, operation, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX quota_day_age ON quota_day (day);

-- +goose Down
DROP TABLE quota_day;
