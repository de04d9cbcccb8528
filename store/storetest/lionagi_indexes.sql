-- lionagi's own indexes on sessions, which it makes again after a rebuild.
CREATE INDEX idx_sessions_updated         ON sessions (updated_at);
CREATE INDEX idx_sessions_status_updated  ON sessions (status, updated_at);
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
