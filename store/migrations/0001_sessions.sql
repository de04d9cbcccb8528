-- additive
-- The tables Podium has in common with lionagi's store (schema version 4):
-- same names, same columns, same checks, same indexes. Times are Unix epoch
-- seconds (REAL), durations end in _ms, JSON is TEXT.

CREATE TABLE podium_meta (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    origin     TEXT    NOT NULL CHECK (origin IN ('podium', 'adopted')),
    schema     INTEGER NOT NULL,
    created_at REAL    NOT NULL
);

CREATE TABLE podium_migrations (
    version    INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at REAL NOT NULL
);

CREATE TABLE message_types (
    type_id    INTEGER PRIMARY KEY,
    lion_class TEXT NOT NULL UNIQUE
);
INSERT INTO message_types (type_id, lion_class) VALUES
    (0, '__unknown__'),
    (1, 'System'),
    (2, 'Instruction'),
    (3, 'AssistantResponse'),
    (4, 'ActionRequest'),
    (5, 'ActionResponse');

CREATE TABLE messages (
    id            TEXT PRIMARY KEY,
    created_at    REAL    NOT NULL,
    node_metadata TEXT,
    content       TEXT    NOT NULL,
    embedding     BLOB,
    sender        TEXT,
    recipient     TEXT,
    channel       TEXT,
    role          TEXT    NOT NULL,
    lion_class    INTEGER NOT NULL REFERENCES message_types (type_id)
);
CREATE INDEX idx_messages_role       ON messages (role);
CREATE INDEX idx_messages_lion_class ON messages (lion_class);
CREATE INDEX idx_messages_sender     ON messages (sender)    WHERE sender IS NOT NULL;
CREATE INDEX idx_messages_recipient  ON messages (recipient) WHERE recipient IS NOT NULL;
CREATE INDEX idx_messages_created    ON messages (created_at);

CREATE TABLE progressions (
    id         TEXT PRIMARY KEY,
    created_at REAL NOT NULL,
    collection TEXT NOT NULL DEFAULT '[]'
);

CREATE TABLE invocations (
    id                    TEXT PRIMARY KEY,
    skill                 TEXT    NOT NULL,
    plugin                TEXT,
    prompt                TEXT,
    started_at            REAL    NOT NULL,
    ended_at              REAL,
    status                TEXT    NOT NULL DEFAULT 'running' CHECK (status IN (
        'running', 'completed', 'completed_empty', 'failed', 'timed_out', 'aborted', 'cancelled')),
    session_count         INTEGER NOT NULL DEFAULT 0,
    created_at            REAL    NOT NULL,
    updated_at            REAL    NOT NULL,
    node_metadata         TEXT,
    status_reason_code    TEXT,
    status_reason_summary TEXT,
    status_evidence_refs  TEXT
);
CREATE INDEX idx_invocations_skill   ON invocations (skill);
CREATE INDEX idx_invocations_status  ON invocations (status);
CREATE INDEX idx_invocations_updated ON invocations (updated_at DESC);
CREATE INDEX idx_invocations_reaper  ON invocations (status, started_at, id);

CREATE TABLE sessions (
    id                         TEXT PRIMARY KEY,
    cc_session_id              TEXT,
    run_id                     TEXT,
    created_at                 REAL    NOT NULL,
    node_metadata              TEXT,
    name                       TEXT,
    user                       TEXT,
    progression_id             TEXT    NOT NULL REFERENCES progressions (id),
    first_msg_id               TEXT    REFERENCES messages (id),
    last_msg_id                TEXT    REFERENCES messages (id),
    updated_at                 REAL    NOT NULL,
    playbook_name              TEXT,
    agent_name                 TEXT,
    invocation_kind            TEXT    CHECK (invocation_kind IS NULL OR invocation_kind IN (
        'agent', 'play', 'flow', 'fanout', 'show-play', 'engine')),
    show_topic                 TEXT,
    show_play_name             TEXT,
    artifacts_path             TEXT,
    source_kind                TEXT    DEFAULT 'live' CHECK (source_kind IS NULL OR source_kind IN (
        'live', 'imported_fs', 'imported_codex')),
    status                     TEXT,
    started_at                 REAL,
    ended_at                   REAL,
    ended_at_is_approximate    INTEGER NOT NULL DEFAULT 0,
    last_message_at            REAL,
    current_phase              TEXT,
    invocation_id              TEXT    REFERENCES invocations (id),
    model                      TEXT,
    provider                   TEXT,
    effort                     TEXT,
    agent_hash                 TEXT,
    project                    TEXT,
    project_source             TEXT,
    status_reason_code         TEXT,
    status_reason_summary      TEXT,
    status_evidence_refs       TEXT,
    artifact_contract_json     TEXT,
    artifact_verification_json TEXT,
    input_tokens               INTEGER,
    output_tokens              INTEGER,
    num_turns                  INTEGER,
    total_cost_usd             REAL,
    duration_ms                REAL
);
CREATE INDEX idx_sessions_updated         ON sessions (updated_at DESC);
CREATE INDEX idx_sessions_status_updated  ON sessions (status, updated_at DESC);
CREATE INDEX idx_sessions_status_last_msg ON sessions (status, last_message_at) WHERE status = 'running';
CREATE INDEX idx_sessions_invocation      ON sessions (invocation_id) WHERE invocation_id IS NOT NULL;
CREATE INDEX idx_sessions_invocation_status_created
    ON sessions (invocation_id, status, created_at, id) WHERE invocation_id IS NOT NULL;
CREATE INDEX idx_sessions_project         ON sessions (project)       WHERE project IS NOT NULL;
CREATE INDEX idx_sessions_cc_session      ON sessions (cc_session_id) WHERE cc_session_id IS NOT NULL;
CREATE INDEX idx_sessions_run_id          ON sessions (run_id)        WHERE run_id IS NOT NULL;
CREATE INDEX idx_sessions_terminal_missing_end ON sessions (id)
    WHERE ended_at IS NULL AND status IN (
        'completed', 'completed_empty', 'failed', 'timed_out', 'aborted', 'cancelled');
CREATE INDEX idx_sessions_first_msg_id    ON sessions (first_msg_id);
CREATE INDEX idx_sessions_last_msg_id     ON sessions (last_msg_id);
CREATE INDEX idx_sessions_progression_id  ON sessions (progression_id);

CREATE TABLE branches (
    id             TEXT PRIMARY KEY,
    created_at     REAL NOT NULL,
    node_metadata  TEXT,
    user           TEXT,
    name           TEXT,
    session_id     TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    progression_id TEXT NOT NULL REFERENCES progressions (id),
    system_msg_id  TEXT REFERENCES messages (id),
    model          TEXT,
    provider       TEXT,
    agent_name     TEXT,
    status         TEXT,
    started_at     REAL,
    ended_at       REAL
);
CREATE INDEX idx_branches_session_created ON branches (session_id, created_at);
CREATE INDEX idx_branches_system_msg_id   ON branches (system_msg_id);
CREATE INDEX idx_branches_progression_id  ON branches (progression_id);

CREATE TABLE run_tags (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    tag        TEXT NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (session_id, tag)
);
CREATE INDEX idx_run_tags_tag ON run_tags (tag);

CREATE TABLE projects (
    name         TEXT PRIMARY KEY,
    source       TEXT NOT NULL,
    path         TEXT,
    github       TEXT,
    description  TEXT,
    created_at   REAL NOT NULL,
    updated_at   REAL NOT NULL,
    last_seen_at REAL
);
CREATE INDEX idx_projects_source  ON projects (source);
CREATE INDEX idx_projects_updated ON projects (updated_at DESC);

CREATE TABLE status_transitions (
    id              TEXT PRIMARY KEY,
    entity_type     TEXT NOT NULL CHECK (entity_type IN (
        'session', 'invocation', 'schedule_run', 'show', 'play', 'team')),
    entity_id       TEXT NOT NULL,
    previous_status TEXT,
    status          TEXT NOT NULL,
    reason_code     TEXT NOT NULL,
    reason_summary  TEXT,
    evidence_refs   TEXT,
    source          TEXT NOT NULL CHECK (source IN ('executor', 'agent', 'admin', 'system')),
    actor           TEXT,
    created_at      REAL NOT NULL,
    metadata        TEXT
);
CREATE INDEX idx_status_transitions_entity  ON status_transitions (entity_type, entity_id, created_at DESC);
CREATE INDEX idx_status_transitions_reason  ON status_transitions (reason_code, created_at DESC);
CREATE INDEX idx_status_transitions_created ON status_transitions (created_at DESC);

CREATE TABLE session_signals (
    id         TEXT PRIMARY KEY,
    session_id TEXT    NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL,
    kind       TEXT    NOT NULL,
    op_id      TEXT    NOT NULL DEFAULT '',
    ts         REAL    NOT NULL,
    payload    TEXT    NOT NULL DEFAULT '{}',
    UNIQUE (session_id, seq)
);

CREATE TABLE session_controls (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    verb       TEXT NOT NULL CHECK (verb IN ('pause', 'resume', 'message', 'stop')),
    payload    TEXT,
    created_at REAL NOT NULL,
    applied_at REAL,
    claimed_at REAL,
    result     TEXT
);
CREATE INDEX idx_session_controls_session_created ON session_controls (session_id, created_at);

CREATE TABLE shows (
    id         TEXT PRIMARY KEY,
    topic      TEXT NOT NULL,
    created_at REAL NOT NULL
);

CREATE TABLE plays (
    id         TEXT PRIMARY KEY,
    show_id    TEXT NOT NULL REFERENCES shows (id) ON DELETE CASCADE,
    name       TEXT,
    session_id TEXT REFERENCES sessions (id) ON DELETE SET NULL,
    created_at REAL NOT NULL
);
CREATE INDEX idx_plays_show_id    ON plays (show_id);
CREATE INDEX idx_plays_session_id ON plays (session_id);
