-- Rows of a store as lionagi leaves them, one of each kind that the v1 listing
-- and detail treat differently. Times are around 2026-01-01 14:00 UTC
-- (1767276000).
INSERT INTO progressions (id, created_at, collection) VALUES
    ('p-empty', 1767270000.0, '[]'),
    ('p-main',  1767277319.5, '["m1","m2","m3","m4","m5","m6","m7","m8","m9"]'),
    ('p-side',  1767277330.0, '["n1","n1","gone"]'),
    ('p-ten',   1767276000.0, '["t0","t1","t2","t3","t4","t5","t6","t7","t8","t9"]');

INSERT INTO invocations (id, skill, plugin, prompt, started_at, ended_at, status, session_count, created_at, updated_at, node_metadata, status_evidence_refs) VALUES
    ('inv-1', 'review', 'core', 'look at it', 1767276000.0, NULL, 'running', 2, 1767276000.0, 1767277400.0, '{"depth": 1.50}', 'null'),
    ('inv-2', 'ship', NULL, NULL, 1767270000.25, 1767271000.0, 'completed', 0, 1767270000.0, 1767271000.0, NULL, '[{"kind":"log"}]'),
    ('inv-3', 'ship', NULL, NULL, 1767260000.0, 1767261000.0, 'failed', 1, 1767260000.0, 1767261000.0, 'not json', NULL);

INSERT INTO sessions (id, created_at, updated_at, progression_id, name, agent_name, playbook_name, invocation_kind, show_topic, show_play_name,
    source_kind, status, started_at, ended_at, ended_at_is_approximate, last_message_at, invocation_id, model, provider, effort, agent_hash,
    project, project_source, status_reason_code, status_reason_summary, status_evidence_refs, artifacts_path, node_metadata,
    artifact_contract_json, artifact_verification_json, input_tokens, output_tokens, num_turns, total_cost_usd, duration_ms) VALUES
    ('5f0c-implementer', 1767277319.5, 1767277400.0, 'p-main', 'implement <it> & "ship"', 'implementer', NULL, 'agent', NULL, NULL,
        'live', 'failed', 1767277320.0, 1767277400.0, 0, 1767277399.0, 'inv-1', 'gpt-5', 'openai', 'high', 'abc123',
        'org/alpha', 'git', 'run.failed.exit_nonzero', 'worker exited with code 1', '[{"kind":"log","line":3}]', NULL,
        '{"segments": [{"name": "one", "at": 1e3}], "agents": [{"id": "a1", "name": "coder", "model": "gpt-5"}], "operations": [{"id": "op1", "agent_id": "a1"}, {"id": "op2", "agent_id": "zz", "depends_on": ["op1"]}]}',
        NULL, NULL, 1200, 340, 4, 0.42, 80000.0),
    ('run-good', 1767276000.0, 1767277990.0, 'p-empty', 'fix flaky login test', NULL, NULL, 'agent', NULL, NULL,
        'live', 'running', 1767276000.0, NULL, 0, 1767277990.0, 'inv-1', '<synthetic>', 'claude_code', NULL, NULL,
        'org/alpha', 'git', NULL, NULL, NULL, '/nowhere/artifacts', '{"pid": 4242, "pid_host": "here", "pid_create_time": 1767275000.0, "pid_boot_time": 1767000000.0}',
        '{"expected": [{"id": "report", "path": "report.md"}]}', NULL, NULL, NULL, NULL, NULL, NULL),
    ('run-ended', 1767275000.0, 1767277980.0, 'p-empty', 'agent', NULL, NULL, NULL, NULL, NULL,
        NULL, 'running', 1767275000.0, 1767275500.0, 0, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('run-foreign', 1767275000.0, 1767250000.0, 'p-empty', 'elsewhere', NULL, NULL, 'flow', NULL, NULL,
        'live', 'running', 1767275000.0, NULL, 0, 1767250000.0, NULL, 'm', 'p', NULL, NULL,
        'org/beta', 'git', NULL, NULL, NULL, '/nowhere/else', '{"pid": 1, "pid_host": "another"}', NULL, NULL, NULL, NULL, NULL, 1e-05, NULL),
    ('old-null', 100.0, 100.0, 'p-empty', NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'null', 'null', 'null', NULL, NULL, NULL, 0.0, NULL),
    ('codex-row', 1767270001.0, 1767270002.0, 'p-empty', '| # TASK - grade two answers to one question', NULL, NULL, 'agent', NULL, NULL,
        'imported_codex', 'completed', 1767270001.0, 1767270002.5, 1, 1767270002.0, NULL, 'gpt-5-codex', 'codex', NULL, NULL,
        'org/alpha', 'git', NULL, NULL, NULL, NULL, '[]', '{"expected": []}', NULL, 10, 5, 1, 33.92, NULL),
    ('show-row', 1767270003.0, 1767270003.0, 'p-empty', 'raw', NULL, NULL, 'show-play', 'topic', 'act one',
        'live', 'completed', NULL, NULL, 0, NULL, NULL, NULL, 'claude_code', NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, '{"engine_parent_run_id": null}', '{"expected": [{"id": "a", "path": "a"}]}',
        '{"status": "passed", "checked_at": 1767270003, "produced": []}', NULL, NULL, NULL, 9.0, NULL),
    ('play-row', 1767270004.0, 1767270004.0, 'p-empty', 'raw', NULL, 'release_50%', 'play', NULL, NULL,
        'live', 'done', 1767270000.0, 1767270004.0, 0, NULL, NULL, NULL, 'claude_code', NULL, NULL,
        'org/alpha', NULL, NULL, NULL, NULL, NULL, NULL, 'broken {', '{"status":"not_recorded"}', NULL, NULL, NULL, 2.0, NULL),
    ('flow-row', 1767270005.0, 1767270005.0, 'p-empty', 'hit rate 50% today', NULL, NULL, 'flow', NULL, NULL,
        'live', 'completed_empty', 10.0, 20.0, 0, NULL, NULL, NULL, NULL, NULL, NULL,
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[1, 2.0, 3e2, "x"]', '"text"', NULL, NULL, NULL, -1.5, NULL),
    ('ties-a', 1767200000.0, 1767200000.0, 'p-empty', 'job_1 run', NULL, NULL, 'fanout', NULL, NULL,
        'live', 'cancelled', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('ties-b', 1767200000.0, 1767200000.0, 'p-empty', 'jobX1 run ä', NULL, NULL, 'fanout', NULL, NULL,
        'live', 'canceled', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('child', 1767277321.0, 1767277999.0, 'p-empty', 'a mirror', NULL, NULL, 'engine', NULL, NULL,
        'imported_fs', 'completed', NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, 'org/alpha', NULL, NULL, NULL, NULL, NULL,
        '{"engine_parent_run_id": "5f0c-implementer"}', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    ('ten', 1767276000.0, 1767276010.0, 'p-ten', 'ten messages', NULL, NULL, 'agent', NULL, NULL,
        'live', 'timed_out', 1767276000.0, 1767276010.0, 0, 1767276009.0, NULL, NULL, NULL, NULL, NULL,
        'org/beta', NULL, NULL, NULL, NULL, NULL, '{"drains_controls": true}', NULL, NULL, NULL, NULL, NULL, 3.5, NULL);
UPDATE sessions SET run_id = 'cli-77' WHERE id = 'ten';

INSERT INTO branches (id, created_at, session_id, progression_id, name, model, provider, agent_name, status, started_at, ended_at) VALUES
    ('b-main', 1767277319.5, '5f0c-implementer', 'p-main', 'main', 'gpt-5', 'openai', 'implementer', 'failed', 1767277320.0, 1767277400.0),
    ('b-side', 1767277330.0, '5f0c-implementer', 'p-side', NULL, '<synthetic>', NULL, NULL, NULL, NULL, NULL),
    ('b-ten',  1767276000.0, 'ten', 'p-ten', NULL, NULL, NULL, 'tenner', NULL, NULL, NULL);

INSERT INTO messages (id, created_at, content, sender, role, lion_class) VALUES
    ('m1', 1767277320.0, '{"system_message": "be careful"}', 'system', 'system', 1),
    ('m2', 1767277321.0, '{"instruction": "ship it", "guidance": "slowly"}', 'user', 'user', 2),
    ('m3', 1767277322.0, '{"assistant_response": "reading"}', 'implementer', 'assistant', 3),
    ('m4', 1767277323.0, '{"function": "read_file", "arguments": {"file_path": "/src/a.go"}, "action_response_id": "m5"}', 'implementer', 'action', 4),
    ('m5', 1767277324.0, '{"function": "read_file", "output": "Error: no such file or directory", "action_request_id": "m4"}', 'tool', 'action', 5),
    ('m6', 1767277325.0, '{"function": "bash", "arguments": {"command": "make"}, "action_response_id": "m7"}', 'implementer', 'action', 4),
    ('m7', 1767277326.0, '{"output": "Exit code: 2\nboom"}', 'tool', 'action', 5),
    ('m8', 1767277327.0, 'plain text, not JSON', NULL, 'assistant', 3),
    ('m9', 1767277399.0, 'null', NULL, 'assistant', 0),
    ('n1', 1767277331.0, '{"assistant_response": "aside"}', 'helper', 'assistant', 3);
INSERT INTO messages (id, created_at, content, sender, role, lion_class)
    WITH RECURSIVE n(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM n WHERE n < 9)
    SELECT 't' || n, 1767276000.0 + n, json_object('assistant_response', 'message ' || n), 'tenner', 'assistant', 3 FROM n;

INSERT INTO run_tags (session_id, tag, created_at) VALUES
    ('5f0c-implementer', 'needs-followup', 1.0), ('5f0c-implementer', 'keep', 2.0),
    ('play-row', 'keep', 3.0), ('flow-row', 'team/backend', 4.0);

INSERT INTO projects (name, source, path, github, description, created_at, updated_at, last_seen_at) VALUES
    ('org/alpha', 'git', '/src/alpha', 'org/alpha', NULL, 1767000000.0, 1767000001.0, NULL),
    ('org/beta', 'studio', NULL, NULL, 'the other one', 1767000000.0, 1767000000.5, 1767000002.0);

INSERT INTO session_controls (id, session_id, verb, created_at, result) VALUES
    ('c1', 'ten', 'resume', 1.0, 'applied'), ('c2', 'ten', 'pause', 2.0, NULL), ('c3', 'ten', 'resume', 3.0, 'rejected: no');
