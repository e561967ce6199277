-- SPDX-License-Identifier: Apache-2.0
-- The use of quota windows that have ended, by the day (UTC) of their start.

-- +goose Up
CREATE TABLE quota_day (
    tenant    text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    day       date             NOT NULL,
    used      bigint           NOT NULL CHECK (used > 0),
    PRIMARY KEY (tenant, operation, day)
);
CREATE INDEX quota_day_age ON quota_day (day);

-- +goose Down
DROP TABLE quota_day;
