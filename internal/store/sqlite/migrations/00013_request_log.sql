-- SPDX-License-Identifier: Apache-2.0
-- The request log of organizations. Rows are written once, and deleted by age.

-- +goose Up
-- took is in microseconds. A row with a request_id of '' stands for several requests.
CREATE TABLE request_log (
    tenant     TEXT    NOT NULL,
    id         TEXT    NOT NULL,
    at         INTEGER NOT NULL,
    request_id TEXT    NOT NULL,
    key_name   TEXT    NOT NULL,
    listener   TEXT    NOT NULL,
    surface    TEXT    NOT NULL,
    method     TEXT    NOT NULL,
    route      TEXT    NOT NULL,
    status     INTEGER NOT NULL,
    code       TEXT    NOT NULL,
    capability TEXT    NOT NULL,
    reason     TEXT    NOT NULL,
    took       INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    requests   INTEGER NOT NULL CHECK (requests > 0),
    PRIMARY KEY (tenant, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX request_log_request ON request_log (tenant, request_id, id) WHERE request_id <> '';
CREATE INDEX request_log_class ON request_log (tenant, (status / 100), id);
CREATE INDEX request_log_code ON request_log (tenant, code, id) WHERE code <> '';
CREATE INDEX request_log_denied ON request_log (at) WHERE reason <> '';
CREATE INDEX request_log_age ON request_log (at);

-- +goose Down
DROP TABLE request_log;
