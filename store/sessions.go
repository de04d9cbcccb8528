package store

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/ncruces/go-sqlite3"

	"podium.local/protocol"
	"podium.local/session"
)

// maxName is the longest session name in bytes.
const maxName = 200

// birth is a session that a pod opens.
type birth struct {
	id        string
	start     session.PodStart
	name      string // of the session, may be empty
	phase     session.Phase
	at        float64
	code      string
	actor     string
	podID     protocol.PodID
	project   string
	projectBy string
}

// insert writes the session's row, the branch and progression that foreign
// keys want, its log and its first transition. It returns the log's key.
func (b birth) insert(c *conn) (logKey int64, err error) {
	metadata, err := withProcess(nil, b.start, b.podID)
	if err != nil {
		return 0, err
	}
	progression := uuid.NewString()
	if err := c.run("INSERT INTO progressions (id, created_at) VALUES (?, ?)", progression, b.at); err != nil {
		return 0, err
	}
	err = c.run(`INSERT INTO sessions (id, created_at, node_metadata, name, progression_id, updated_at, agent_name, invocation_kind,
		source_kind, status, status_reason_code, started_at, last_message_at, current_phase, model, provider, project, project_source)
		VALUES (?1, ?2, ?3, ?4, ?5, ?2, ?6, 'agent', 'live', 'running', ?7, ?2, ?2, ?8, ?9, ?10, ?11, ?12)`,
		b.id, b.at, metadata, orNull(session.Clip(b.name, maxName)), progression, orNull(b.start.AgentName), b.code, string(b.phase),
		orNull(b.start.Model), orNull(b.start.Provider), orNull(b.project), orNull(b.projectBy))
	if err != nil {
		return 0, err
	}
	err = c.run(`INSERT INTO branches (id, created_at, session_id, progression_id, model, provider, agent_name, started_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?2)`,
		uuid.NewString(), b.at, b.id, progression, orNull(b.start.Model), orNull(b.start.Provider), orNull(b.start.AgentName))
	if err != nil {
		return 0, err
	}
	err = c.run("INSERT INTO logs (session_id, opened_at, opened_project, opened_provider, opened_model) VALUES (?, ?, ?, ?, ?)",
		b.id, b.at, b.project, b.start.Provider, b.start.Model)
	if err != nil {
		return 0, err
	}
	logKey = c.LastInsertRowID()
	if err := bookStart(c, b.at, b.project, b.start.Provider, b.start.Model); err != nil {
		return 0, err
	}
	return logKey, transition{
		session: b.id, to: session.StatusRunning, code: b.code, source: "executor", actor: b.actor, at: b.at,
	}.record(c, "")
}

// resume makes a session that ended, or whose process was lost, running again
// in the hands of a pod.
func resume(c *conn, b birth) error {
	var status, metadata string
	found, err := c.row("SELECT coalesce(status, 'completed'), coalesce(node_metadata, '') FROM sessions WHERE id = ?", func(stmt *sqlite3.Stmt) error {
		status, metadata = stmt.ColumnText(0), stmt.ColumnText(1)
		return nil
	}, b.id)
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("session %s: %w", b.id, session.ErrNotFound)
	}
	// The process before was killed: that end is told before the new beginning.
	if status == string(session.StatusRunning) {
		if err := abort(c, b.id, b.at-tick); err != nil {
			return err
		}
	}
	_, err = transition{
		session: b.id, to: session.StatusRunning, code: reasonContinued, text: "continued by " + b.actor,
		source: "executor", actor: b.actor, at: b.at, override: true,
	}.apply(c)
	if err != nil {
		return err
	}
	merged, err := withProcess([]byte(metadata), b.start, b.podID)
	if err != nil {
		return err
	}
	return c.run(`UPDATE sessions SET node_metadata = ?, current_phase = ?, model = coalesce(?, model), provider = coalesce(?, provider),
		agent_name = coalesce(?, agent_name) WHERE id = ?`,
		merged, string(b.phase), orNull(b.start.Model), orNull(b.start.Provider), orNull(b.start.AgentName), b.id)
}

// tick keeps two changes of one moment in order.
const tick = 1e-6

// abort closes a session whose process is gone.
func abort(c *conn, sessionID string, at float64) error {
	_, err := transition{
		session: sessionID, to: session.StatusAborted, code: reasonLost, text: "its process ended without leaving",
		source: "system", actor: "podium", at: at,
	}.apply(c)
	return err
}

// withProcess puts the process into node_metadata and keeps what else is in
// it. Metadata that is no JSON object is replaced: nobody can read it.
func withProcess(metadata []byte, start session.PodStart, pod protocol.PodID) (json.RawMessage, error) {
	fields := make(map[string]json.RawMessage)
	if json.Unmarshal(metadata, &fields) != nil || fields == nil {
		fields = make(map[string]json.RawMessage)
	}
	for name, value := range map[string]any{
		"process_identity_mode": "local",
		"pid":                   start.Process.PID,
		"pid_create_time":       start.Process.CreateTime,
		"pid_host":              start.Process.Host,
		"pid_boot_time":         start.Process.BootTime,
		"pod_id":                pod,
		"pod_name":              start.Name,
		"cwd":                   start.Cwd,
	} {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("metadata %s: %w", name, err)
		}
		fields[name] = text
	}
	return json.Marshal(fields)
}
