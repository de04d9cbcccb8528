-- additive
-- Sessions of other programs: the ledger of their files, what each file says
-- of a session, and which requests to models were counted already.

-- One row a file, committed with what was read from it up to cursor.
CREATE TABLE import_files (
    file_key   INTEGER PRIMARY KEY,
    tool       TEXT    NOT NULL,
    path       TEXT    NOT NULL,
    size       INTEGER NOT NULL,
    mod_time   INTEGER NOT NULL, -- Unix nanoseconds, compared and not computed with
    cursor     INTEGER NOT NULL,
    lines      INTEGER NOT NULL DEFAULT 0,
    kept       INTEGER NOT NULL DEFAULT 0,
    known      INTEGER NOT NULL DEFAULT 0,
    damaged    INTEGER NOT NULL DEFAULT 0,
    raw        INTEGER NOT NULL DEFAULT 0,
    clamped    INTEGER NOT NULL DEFAULT 0,
    skipped    TEXT,             -- JSON: reason -> lines
    problems   TEXT,             -- JSON: the first lines that could not be used
    last_error TEXT,
    read_at    REAL    NOT NULL,
    gone_at    REAL,
    rank       TEXT    NOT NULL DEFAULT '',
    anchor     BLOB,
    state      TEXT,
    UNIQUE (tool, path)
);

-- What an imported session is in the program that it comes from.
CREATE TABLE import_sessions (
    session_id  TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    tool        TEXT NOT NULL,
    vendor_id   TEXT NOT NULL,
    subagent_id TEXT NOT NULL DEFAULT '',
    parent      TEXT,            -- the session that started this subagent
    forked_from TEXT,            -- the session that this one begins as a copy of
    given_name  TEXT             -- the name that the import gave; another one is a person's
);
CREATE INDEX idx_import_sessions_parent      ON import_sessions (parent)      WHERE parent IS NOT NULL;
CREATE INDEX idx_import_sessions_forked_from ON import_sessions (forked_from) WHERE forked_from IS NOT NULL;

-- Which files speak of a session, and what each says of it as a whole. The row
-- in sessions is made of these, in order of rank. A file may speak of a session
-- before another one opens it.
CREATE TABLE import_session_files (
    session_id TEXT    NOT NULL,
    file_key   INTEGER NOT NULL REFERENCES import_files (file_key) ON DELETE CASCADE,
    kept       INTEGER NOT NULL DEFAULT 0,
    facts      TEXT    NOT NULL,
    PRIMARY KEY (session_id, file_key)
) WITHOUT ROWID;
CREATE INDEX idx_import_session_files_file ON import_session_files (file_key);

-- Requests to models that have a row in usage_records.
CREATE TABLE import_requests (
    request BLOB    PRIMARY KEY,
    log_key INTEGER NOT NULL REFERENCES logs (log_key) ON DELETE CASCADE,
    number  INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX idx_import_requests_log ON import_requests (log_key);
