-- SPDX-License-Identifier: Apache-2.0
-- The request log of organizations. Rows are written once, and deleted by age.

-- +goose Up
-- took is in microseconds. A row with a request_id of '' stands for several requests.
CREATE TABLE request_log (
    tenant     text COLLATE "C" NOT NULL,
    id         text COLLATE "C" NOT NULL,
    at         timestamptz      NOT NULL,
    request_id text COLLATE "C" NOT NULL,
    key_name   text             NOT NULL,
    listener   text COLLATE "C" NOT NULL,
    surface    text COLLATE "C" NOT NULL,
    method     text COLLATE "C" NOT NULL,
    route      text COLLATE "C" NOT NULL,
    status     bigint           NOT NULL,
    code       text COLLATE "C" NOT NULL,
    capability text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    took       bigint           NOT NULL,
    bytes      bigint           NOT NULL,
    requests   bigint           NOT NULL CHECK (requests > 0),
    PRIMARY KEY (tenant, id)
);
CREATE INDEX request_log_request ON request_log (tenant, request_id, id) WHERE request_id <> '';
CREATE INDEX request_log_class ON request_log (tenant, (status / 100), id);
CREATE INDEX request_log_code ON request_log (tenant, code, id) WHERE code <> '';
CREATE INDEX request_log_denied ON request_log (at) WHERE reason <> '';
CREATE INDEX request_log_age ON request_log (at);

-- +goose Down
DROP TABLE request_log;
