package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/ncruces/go-sqlite3"

	"podium.local/protocol"
	"podium.local/session"
)

// hold is a pod that this Store started: what a commit needs to know of it
// and the number that proves that nobody took it since.
type hold struct {
	podKey   int64
	number   int64
	name     string
	session  string
	logKey   int64
	provider string
	model    string
	project  string
	start    session.PodStart
}

const podColumns = `pod_id, coalesce(name, ''), coalesce(session_id, ''), cwd, provider, model, socket, pid, pid_create_time, pid_host,
	pid_boot_time, started_at, ended_at, seq, phase, bookmark,
	coalesce((SELECT entries FROM logs WHERE logs.session_id = pods.session_id), 0),
	(SELECT input_tokens FROM sessions WHERE sessions.id = pods.session_id),
	(SELECT output_tokens FROM sessions WHERE sessions.id = pods.session_id),
	(SELECT total_cost_usd FROM sessions WHERE sessions.id = pods.session_id),
	coalesce((SELECT unpriced_requests FROM logs WHERE logs.session_id = pods.session_id), 0) > 0`

// podWidth is the number of columns that scanPod reads.
const podWidth = 21

func scanPod(stmt *sqlite3.Stmt) (session.Pod, error) {
	id, err := protocol.ParsePodID(stmt.ColumnText(0))
	if err != nil {
		return session.Pod{}, fmt.Errorf("pod id: %w", err)
	}
	p := session.Pod{
		ID: id, Name: stmt.ColumnText(1), SessionID: stmt.ColumnText(2), Cwd: stmt.ColumnText(3),
		Provider: stmt.ColumnText(4), Model: stmt.ColumnText(5), Socket: stmt.ColumnText(6),
		Process: session.Process{
			PID: stmt.ColumnInt(7), CreateTime: stmt.ColumnFloat(8), Host: stmt.ColumnText(9), BootTime: stmt.ColumnFloat(10),
		},
		StartedAt: columnTime(stmt, 11), EndedAt: columnTime(stmt, 12),
		Seq: uint64(stmt.ColumnInt64(13)), Phase: session.Phase(stmt.ColumnText(14)), Length: stmt.ColumnInt64(16),
	}
	if stmt.ColumnType(15) != sqlite3.NULL {
		p.Bookmark = json.RawMessage(stmt.ColumnText(15))
	}
	p.InputTokens, p.OutputTokens = optionalInt(stmt, 17), optionalInt(stmt, 18)
	p.CostUSD, p.CostPartial = optionalFloat(stmt, 19), stmt.ColumnBool(20)
	return p, nil
}

// StartPod claims the name and a session for a process. A name or a session
// whose process still runs is refused with session.ErrHeld; one whose process
// was killed is closed as aborted first.
func (s *Store) StartPod(ctx context.Context, start session.PodStart) (session.Pod, error) {
	var pod session.Pod
	var h hold
	err := s.writePodium(ctx, "record pod "+start.Name, func(c *conn) (err error) {
		pod, h, err = s.startPod(c, start)
		return err
	})
	if err != nil {
		return session.Pod{}, err
	}
	s.remember(pod.ID, h)
	return pod, nil
}

// remember notes a hold that has been committed.
func (s *Store) remember(id protocol.PodID, h hold) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.holds[id] = h
}

func (s *Store) startPod(c *conn, start session.PodStart) (session.Pod, hold, error) {
	fail := func(err error) (session.Pod, hold, error) { return session.Pod{}, hold{}, err }
	if start.Name == "" {
		return fail(errors.New("a pod needs a name"))
	}
	at := seconds(s.opts.Now())
	old, known, err := podByName(c, start.Name)
	if err != nil {
		return fail(err)
	}
	if known && old.EndedAt.IsZero() && old.Process != start.Process && s.opts.Alive(old.Process) {
		return fail(fmt.Errorf("pod %s already runs as process %d: %w", start.Name, old.Process.PID, session.ErrHeld))
	}
	b := birth{id: start.SessionID, start: start, phase: session.PhaseIdle, at: at, code: reasonStarted, actor: "pod:" + start.Name, podID: old.ID}
	if !known {
		b.podID = protocol.NewPodID()
	}
	if b.id == "" && known && !start.New {
		b.id = old.SessionID
	}
	phase, bookmark := old.Phase, old.Bookmark
	if b.id == "" || b.id != old.SessionID {
		phase, bookmark = session.PhaseIdle, nil
		// The pod turns to another session; the one it held must not stay running.
		if err := abandon(c, old.ID, old.SessionID, at); err != nil {
			return fail(err)
		}
	}
	if phase == "" {
		phase = session.PhaseIdle
	}
	h := hold{name: start.Name, provider: start.Provider, model: start.Model, start: start}
	if b.id == "" {
		b.id, b.project = protocol.NewSessionID().String(), start.Project
		if b.project != "" {
			b.projectBy = "pod"
			if err := seeProject(c, b.project, start.Cwd, at); err != nil {
				return fail(err)
			}
		}
		if h.logKey, err = b.insert(c); err != nil {
			return fail(err)
		}
		h.project = b.project
	} else {
		if err := s.refuseHeld(c, b.id, start); err != nil {
			return fail(err)
		}
		if err := resume(c, b); err != nil {
			return fail(err)
		}
		found, err := c.row("SELECT log_key, coalesce(project, '') FROM logs JOIN sessions ON sessions.id = session_id WHERE session_id = ?",
			func(stmt *sqlite3.Stmt) error {
				h.logKey, h.project = stmt.ColumnInt64(0), stmt.ColumnText(1)
				return nil
			}, b.id)
		if err != nil {
			return fail(err)
		}
		if !found {
			return fail(fmt.Errorf("session %s has no log here to continue: %w", b.id, session.ErrNotFound))
		}
	}
	h.session = b.id
	_, err = c.row(`INSERT INTO pods (pod_id, name, session_id, cwd, provider, model, socket, pid, pid_create_time, pid_host, pid_boot_time,
		hold, started_at, phase, bookmark) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 1, ?12, ?13, ?14)
		ON CONFLICT (name) DO UPDATE SET session_id = ?3, cwd = ?4, provider = ?5, model = ?6, socket = ?7, pid = ?8, pid_create_time = ?9,
		pid_host = ?10, pid_boot_time = ?11, hold = hold + 1, started_at = ?12, ended_at = NULL, phase = ?13, bookmark = ?14
		RETURNING pod_key, hold`,
		func(stmt *sqlite3.Stmt) error {
			h.podKey, h.number = stmt.ColumnInt64(0), stmt.ColumnInt64(1)
			return nil
		},
		b.podID.String(), start.Name, b.id, start.Cwd, start.Provider, start.Model, start.Socket, start.Process.PID, start.Process.CreateTime,
		start.Process.Host, start.Process.BootTime, at, string(phase), bookmark)
	if err != nil {
		return fail(err)
	}
	pod, _, err := podByName(c, start.Name)
	return pod, h, err
}

// refuseHeld wants no other pod to hold the session. One that was killed gives
// it up here.
func (s *Store) refuseHeld(c *conn, sessionID string, start session.PodStart) error {
	var others []session.Pod
	err := c.each("SELECT "+podColumns+" FROM pods WHERE session_id = ? AND ended_at IS NULL AND coalesce(name, '') <> ?",
		func(stmt *sqlite3.Stmt) error {
			p, err := scanPod(stmt)
			others = append(others, p)
			return err
		}, sessionID, start.Name)
	if err != nil {
		return err
	}
	for _, other := range others {
		if s.opts.Alive(other.Process) {
			return fmt.Errorf("session %s is held by pod %s (process %d): %w", sessionID, other.Name, other.Process.PID, session.ErrHeld)
		}
		if _, err := closeDead(c, other, seconds(s.opts.Now())); err != nil {
			return err
		}
	}
	return nil
}

// abandon closes the session that a killed process of this pod left running,
// unless another pod holds it now.
func abandon(c *conn, pod protocol.PodID, sessionID string, at float64) error {
	left, err := c.integer(`SELECT count(*) FROM sessions WHERE id = ?1 AND status = 'running'
		AND NOT EXISTS (SELECT 1 FROM pods WHERE session_id = ?1 AND ended_at IS NULL AND pod_id <> ?2)`, sessionID, pod.String())
	if err != nil || left == 0 {
		return err
	}
	return abort(c, sessionID, at)
}

// seeProject registers a project or notes that it was seen again.
func seeProject(c *conn, name, path string, at float64) error {
	return c.run(`INSERT INTO projects (name, source, path, created_at, updated_at, last_seen_at) VALUES (?1, 'pod', ?2, ?3, ?3, ?3)
		ON CONFLICT (name) DO UPDATE SET last_seen_at = ?3`, name, orNull(path), at)
}

// holding finds the pod that this Store started and proves that it is still
// its own. The caller is in a write transaction.
func (s *Store) holding(c *conn, id protocol.PodID) (hold, error) {
	s.mu.Lock()
	h, ok := s.holds[id]
	s.mu.Unlock()
	if !ok {
		return hold{}, fmt.Errorf("pod %s was not started here: %w", id, session.ErrLost)
	}
	mine := false
	if _, err := c.row("SELECT hold, session_id FROM pods WHERE pod_key = ? AND ended_at IS NULL", func(stmt *sqlite3.Stmt) error {
		mine = stmt.ColumnInt64(0) == h.number && stmt.ColumnText(1) == h.session
		return nil
	}, h.podKey); err != nil {
		return hold{}, err
	}
	if !mine {
		return hold{}, fmt.Errorf("pod %s: %w", h.name, session.ErrLost)
	}
	return h, nil
}

// holdingSession is holding for a caller that names the session too.
func (s *Store) holdingSession(c *conn, id protocol.PodID, sessionID string) (hold, error) {
	h, err := s.holding(c, id)
	if err == nil && h.session != sessionID {
		err = fmt.Errorf("pod %s holds session %s: %w", h.name, h.session, session.ErrLost)
	}
	return h, err
}

// Leave ends the hold: the session gets the status with its reason and
// transition, unless somebody gave it a terminal one already, the pod its end. The pod's name, session and phase stay for the
// next start.
func (s *Store) Leave(ctx context.Context, l session.Leave) error {
	return s.writePodium(ctx, "leave session "+l.SessionID, func(c *conn) error { return s.leave(c, l) })
}

func (s *Store) leave(c *conn, l session.Leave) error {
	h, err := s.holdingSession(c, l.PodID, l.SessionID)
	if err != nil {
		return err
	}
	at := seconds(s.orNow(l.At))
	err = transition{
		session: l.SessionID, to: l.Status, code: l.ReasonCode, text: l.Reason,
		source: "executor", actor: "pod:" + h.name, at: at,
	}.end(c)
	if err != nil {
		return err
	}
	return c.run("UPDATE pods SET ended_at = ? WHERE pod_key = ?", at, h.podKey)
}

// Pods lists every pod that was not forgotten, by name.
func (s *Store) Pods(ctx context.Context) (pods []session.Pod, err error) {
	if s.kind != KindPodium {
		return nil, nil
	}
	err = s.read(ctx, func(c *conn) error {
		pods, err = listPods(c)
		return err
	})
	return pods, explain("list pods", err)
}

func listPods(c *conn) (pods []session.Pod, err error) {
	err = c.each("SELECT "+podColumns+" FROM pods WHERE name IS NOT NULL ORDER BY name", func(stmt *sqlite3.Stmt) error {
		p, err := scanPod(stmt)
		pods = append(pods, p)
		return err
	})
	return pods, err
}

// PodByName finds a pod; session.ErrNotFound if there is none of that name.
func (s *Store) PodByName(ctx context.Context, name string) (session.Pod, error) {
	var pod session.Pod
	found := false
	if s.kind == KindPodium {
		err := s.read(ctx, func(c *conn) (err error) {
			pod, found, err = podByName(c, name)
			return err
		})
		if err != nil {
			return session.Pod{}, explain("find pod "+name, err)
		}
	}
	if !found {
		return session.Pod{}, fmt.Errorf("find pod %s: %w", name, session.ErrNotFound)
	}
	return pod, nil
}

func podByName(c *conn, name string) (pod session.Pod, found bool, err error) {
	found, err = c.row("SELECT "+podColumns+" FROM pods WHERE name = ?", func(stmt *sqlite3.Stmt) error {
		pod, err = scanPod(stmt)
		return err
	}, name)
	return pod, found, err
}

// CloseDead closes a pod whose process the caller found dead: its session
// becomes aborted, with the transition. The row must still be the one that was
// looked at: a process that took the pod since keeps it, and closed is false.
func (s *Store) CloseDead(ctx context.Context, pod session.Pod) (closed bool, err error) {
	err = s.writePodium(ctx, "close dead pod "+pod.Name, func(c *conn) (err error) {
		closed, err = closeDead(c, pod, seconds(s.opts.Now()))
		return err
	})
	return closed, err
}

func closeDead(c *conn, pod session.Pod, at float64) (bool, error) {
	// A new hold makes the dead process, should it live after all, lose its pod
	// at its next commit.
	err := c.run(`UPDATE pods SET ended_at = ?1, hold = hold + 1 WHERE pod_id = ?2 AND ended_at IS NULL AND pid = ?3
		AND pid_create_time = ?4 AND pid_host = ?5 AND pid_boot_time = ?6`,
		at, pod.ID.String(), pod.Process.PID, pod.Process.CreateTime, pod.Process.Host, pod.Process.BootTime)
	if err != nil || c.Changes() == 0 {
		return false, err
	}
	var current string
	if _, err := c.row("SELECT coalesce(session_id, '') FROM pods WHERE pod_id = ?", func(stmt *sqlite3.Stmt) error {
		current = stmt.ColumnText(0)
		return nil
	}, pod.ID.String()); err != nil {
		return false, err
	}
	return true, abandon(c, pod.ID, current, at)
}

// ForgetPod frees the name of a pod that has ended and drops its inbox and
// request ids. Its sessions and their entries stay.
func (s *Store) ForgetPod(ctx context.Context, name string) error {
	return s.writePodium(ctx, "forget pod "+name, func(c *conn) error {
		pod, found, err := podByName(c, name)
		if err != nil {
			return err
		}
		if !found {
			return session.ErrNotFound
		}
		if pod.EndedAt.IsZero() {
			return fmt.Errorf("it has not ended (process %d): %w", pod.Process.PID, session.ErrHeld)
		}
		for _, sql := range []string{
			"DELETE FROM inbox WHERE pod_key = (SELECT pod_key FROM pods WHERE name = ?)",
			"DELETE FROM accepted_requests WHERE pod_key = (SELECT pod_key FROM pods WHERE name = ?)",
			"UPDATE pods SET name = NULL WHERE name = ?",
		} {
			if err := c.run(sql, name); err != nil {
				return err
			}
		}
		return nil
	})
}
