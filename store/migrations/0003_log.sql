-- additive
-- What is Podium's alone: pods, their inboxes, the session logs, what requests
-- to models used. Text ids stand once, in logs and pods; everything that grows
-- with a conversation refers to them by an integer key.

CREATE TABLE pods (
    pod_key         INTEGER PRIMARY KEY,
    pod_id          TEXT    NOT NULL UNIQUE,
    -- NULL once the pod is forgotten: the name is free, its log keeps pod_id.
    name            TEXT    UNIQUE,
    session_id      TEXT    REFERENCES sessions (id) ON DELETE SET NULL,
    cwd             TEXT    NOT NULL DEFAULT '',
    provider        TEXT    NOT NULL DEFAULT '',
    model           TEXT    NOT NULL DEFAULT '',
    socket          TEXT    NOT NULL DEFAULT '',
    pid             INTEGER NOT NULL,
    pid_create_time REAL    NOT NULL,
    pid_host        TEXT    NOT NULL,
    pid_boot_time   REAL    NOT NULL,
    -- Grows with every start and every close from outside. A commit names the
    -- hold it was made under, so that a process that lost its pod cannot write.
    hold            INTEGER NOT NULL,
    started_at      REAL    NOT NULL,
    ended_at        REAL,
    -- The number of the newest durable event. Never goes back.
    seq             INTEGER NOT NULL DEFAULT 0,
    phase           TEXT    NOT NULL DEFAULT 'idle' CHECK (phase IN ('idle', 'running', 'paused', 'compacting')),
    bookmark        TEXT
);
CREATE INDEX idx_pods_session ON pods (session_id);

CREATE TABLE inbox (
    position    INTEGER PRIMARY KEY,
    pod_key     INTEGER NOT NULL REFERENCES pods (pod_key) ON DELETE CASCADE,
    entry_id    TEXT    NOT NULL,
    kind        TEXT    NOT NULL,
    text        TEXT    NOT NULL,
    client      TEXT    NOT NULL DEFAULT '',
    accepted_at REAL    NOT NULL,
    UNIQUE (pod_key, entry_id)
);

CREATE TABLE accepted_requests (
    pod_key     INTEGER NOT NULL REFERENCES pods (pod_key) ON DELETE CASCADE,
    request_id  TEXT    NOT NULL,
    entry_id    TEXT    NOT NULL,
    accepted_at REAL    NOT NULL,
    PRIMARY KEY (pod_key, request_id)
) WITHOUT ROWID;

-- One row a session that has its entries here. The counters are written by the
-- transaction that appends.
CREATE TABLE logs (
    log_key            INTEGER PRIMARY KEY,
    session_id         TEXT    NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
    opened_at          REAL    NOT NULL,
    opened_project     TEXT    NOT NULL DEFAULT '',
    opened_provider    TEXT    NOT NULL DEFAULT '',
    opened_model       TEXT    NOT NULL DEFAULT '',
    entries            INTEGER NOT NULL DEFAULT 0,
    messages           INTEGER NOT NULL DEFAULT 0,
    priced_requests    INTEGER NOT NULL DEFAULT 0,
    unpriced_requests  INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens  INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens   INTEGER NOT NULL DEFAULT 0
);

-- Append-only. entry_id is the 16 bytes of a UUID, or text when it is none.
CREATE TABLE entries (
    entry_key  INTEGER PRIMARY KEY,
    log_key    INTEGER NOT NULL REFERENCES logs (log_key) ON DELETE CASCADE,
    ordinal    INTEGER NOT NULL,
    entry_id   BLOB    NOT NULL,
    kind       TEXT    NOT NULL,
    created_at REAL    NOT NULL,
    pod_key    INTEGER REFERENCES pods (pod_key),
    seq        INTEGER,
    payload    TEXT    NOT NULL
);
CREATE UNIQUE INDEX idx_entries_log   ON entries (log_key, ordinal);
CREATE UNIQUE INDEX idx_entries_id    ON entries (entry_id);
CREATE UNIQUE INDEX idx_entries_event ON entries (pod_key, seq) WHERE seq IS NOT NULL;

CREATE TABLE lineage (
    session_id     TEXT    PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    compacted_from TEXT    NOT NULL,
    created_at     REAL    NOT NULL,
    tokens_before  INTEGER NOT NULL,
    tokens_after   INTEGER NOT NULL,
    cost_usd       REAL
);
CREATE INDEX idx_lineage_compacted_from ON lineage (compacted_from);

-- One row a request to a model, numbered from 0 in its log. The totals on
-- sessions and logs and the rollup are sums of these.
CREATE TABLE usage_records (
    log_key            INTEGER NOT NULL REFERENCES logs (log_key) ON DELETE CASCADE,
    number             INTEGER NOT NULL,
    created_at         REAL    NOT NULL,
    purpose            TEXT    NOT NULL CHECK (purpose IN ('turn', 'summary')),
    provider           TEXT    NOT NULL,
    model              TEXT    NOT NULL,
    project            TEXT    NOT NULL,
    input_tokens       INTEGER,
    output_tokens      INTEGER,
    cache_read_tokens  INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    reasoning_tokens   INTEGER NOT NULL DEFAULT 0,
    cost_usd           REAL,
    price_source       TEXT,
    PRIMARY KEY (log_key, number)
) WITHOUT ROWID;

-- Spend by quarter of an hour, in which every time zone's days can be summed.
-- quarter_utc is the Unix second at which the quarter begins.
CREATE TABLE usage_quarter (
    quarter_utc      INTEGER NOT NULL,
    project          TEXT    NOT NULL,
    provider         TEXT    NOT NULL,
    model            TEXT    NOT NULL,
    priced_usd       REAL    NOT NULL DEFAULT 0,
    priced_n         INTEGER NOT NULL DEFAULT 0,
    unpriced_n       INTEGER NOT NULL DEFAULT 0,
    sessions_started INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (quarter_utc, project, provider, model)
) WITHOUT ROWID;

-- Sessions that were deleted here. An import does not bring them back.
CREATE TABLE tombstones (
    session_id TEXT PRIMARY KEY,
    deleted_at REAL NOT NULL
) WITHOUT ROWID;
