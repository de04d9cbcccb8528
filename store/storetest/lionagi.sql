-- A store as lionagi 0.35 makes it (schema version 4), as far as Podium reads
-- it and as its foreign keys and indexes reach. Written from its documented
-- tables.

CREATE TABLE schema_meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

CREATE TABLE message_types (
    type_id    INTEGER PRIMARY KEY,
    lion_class TEXT NOT NULL UNIQUE
);

CREATE TABLE messages (
    id            TEXT PRIMARY KEY,
    created_at    REAL    NOT NULL,
    node_metadata JSON,
    content       JSON    NOT NULL,
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
    node_metadata         JSON,
    status_reason_code    TEXT,
    status_reason_summary TEXT,
    status_evidence_refs  JSON
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
    node_metadata              JSON,
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
    status_evidence_refs       JSON,
    artifact_contract_json     JSON,
    artifact_verification_json JSON,
    input_tokens               INTEGER,
    output_tokens              INTEGER,
    num_turns                  INTEGER,
    total_cost_usd             REAL,
    duration_ms                REAL
);

CREATE TABLE branches (
    id             TEXT PRIMARY KEY,
    created_at     REAL NOT NULL,
    node_metadata  JSON,
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
    entity_type     TEXT NOT NULL,
    entity_id       TEXT NOT NULL,
    previous_status TEXT,
    status          TEXT NOT NULL,
    reason_code     TEXT NOT NULL,
    reason_summary  TEXT,
    evidence_refs   JSON,
    source          TEXT NOT NULL,
    actor           TEXT,
    created_at      REAL NOT NULL,
    metadata        JSON
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
    payload    JSON    NOT NULL DEFAULT '{}',
    UNIQUE (session_id, seq)
);

CREATE TABLE session_controls (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    verb       TEXT NOT NULL,
    payload    JSON,
    created_at REAL NOT NULL,
    applied_at REAL,
    claimed_at REAL,
    result     TEXT
);

CREATE TABLE shows (
    id         TEXT PRIMARY KEY,
    topic      TEXT NOT NULL,
    created_at REAL NOT NULL
);

CREATE TABLE plays (
    id         TEXT PRIMARY KEY,
    show_id    TEXT NOT NULL REFERENCES shows (id),
    name       TEXT,
    session_id TEXT,
    created_at REAL NOT NULL
);

-- Another of its tables that nothing here reads.
CREATE TABLE admin_events (
    id         TEXT PRIMARY KEY,
    created_at REAL NOT NULL,
    payload    JSON
);

INSERT INTO message_types (type_id, lion_class) VALUES
    (0, '__unknown__'),
    (1, 'lionagi.protocols.messages.system.System'),
    (2, 'lionagi.protocols.messages.instruction.Instruction'),
    (3, 'lionagi.protocols.messages.assistant_response.AssistantResponse'),
    (4, 'lionagi.protocols.messages.action_request.ActionRequest'),
    (5, 'lionagi.protocols.messages.action_response.ActionResponse');
INSERT INTO schema_meta (key, value) VALUES ('version', '4'), ('created_at', '1764536400');
