-- additive
-- What belonged to imported sessions that were deleted here, by id alone: a
-- copy of it in a fork's file stays the deleted session's. Restoring a session
-- takes its tombstone away, and with it these rows.

CREATE TABLE import_deleted (
    deleted_key INTEGER PRIMARY KEY,
    session_id  TEXT    NOT NULL UNIQUE REFERENCES tombstones (session_id) ON DELETE CASCADE
);

-- kind and created_at tell a copy from another record that has the same id.
CREATE TABLE import_deleted_entries (
    entry_id    BLOB    PRIMARY KEY,
    deleted_key INTEGER NOT NULL REFERENCES import_deleted (deleted_key) ON DELETE CASCADE,
    kind        TEXT    NOT NULL,
    created_at  REAL    NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_import_deleted_entries_key ON import_deleted_entries (deleted_key);

CREATE TABLE import_deleted_requests (
    request     BLOB    PRIMARY KEY,
    deleted_key INTEGER NOT NULL REFERENCES import_deleted (deleted_key) ON DELETE CASCADE
) WITHOUT ROWID;
CREATE INDEX idx_import_deleted_requests_key ON import_deleted_requests (deleted_key);
