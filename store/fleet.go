package store

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/ncruces/go-sqlite3"

	"podium.local/listing"
	"podium.local/session"
)

// Bounds of what one look at the fleet reads.
const (
	// fleetCandidates is how many sessions of one status are looked at; mirrored
	// transcripts among them are not shown.
	fleetCandidates = "5000"
	// fleetPods is how many pods are listed.
	fleetPods = 1000
	// runEvents is how many of a pod's newest durable events are searched for the
	// end of its last run: what follows one without an input is a compaction.
	runEvents = 64
	// inputEvents is how many are searched for an input.
	inputEvents = 10_000
)

// statusIndex has the sessions of one status next to each other, in order of
// their last update. Both kinds of store have it.
const statusIndex = "idx_sessions_status_updated"

// Fleet reads what is going on, in one bounded snapshot. A store that does not
// exist, and one of lionagi's as far as pods go, has none.
func (v *View) Fleet(ctx context.Context, q session.FleetQuery) (f session.Fleet, err error) {
	_, err = v.read(ctx, bounded, "read the fleet", func(s *snap) error {
		f = session.Fleet{}
		return s.fleet(q, &f)
	})
	return f, err
}

func (s *snap) fleet(q session.FleetQuery, f *session.Fleet) (err error) {
	if s.facts.has("pods") && s.facts.has("logs") && s.facts.has("entries") && s.facts.has("inbox") {
		if f.Pods, err = s.fleetPods(q); err != nil {
			return err
		}
	}
	indexed, err := s.hasStatusIndex()
	if err != nil {
		return err
	}
	if f.Active, f.Truncated, err = s.fleetRows(indexed, q.Active, 0, q.ActiveLimit); err != nil {
		return err
	}
	f.Failed, f.FailedTruncated, err = s.fleetRows(indexed, q.Failed, q.FailedSince, q.FailedLimit)
	return err
}

// hasStatusIndex looks for the index by its columns: another program may have
// made another one under its name.
func (s *snap) hasStatusIndex() (bool, error) {
	var columns []string
	err := s.each("SELECT coalesce(i.name, '') FROM pragma_index_list('sessions') l JOIN pragma_index_info(l.name) i WHERE l.name = ? AND l.partial = 0 ORDER BY i.seqno",
		func(stmt *sqlite3.Stmt) error {
			columns = append(columns, stmt.ColumnText(0))
			return nil
		}, statusIndex)
	return len(columns) >= 2 && columns[0] == "status" && columns[1] == "updated_at", err
}

// fleetKey is the place of a row in the answer.
type fleetKey struct {
	rowid int64
	at    float64
}

// fleetSQL finds the newest visible sessions of one status. The index is named,
// so that statistics another program left cannot make the planner read the
// store; without it only the sessions that were added last are looked at.
func fleetSQL(indexed, since bool) string {
	test := "status = ?"
	if since {
		test += " AND updated_at >= ?"
	}
	page := "SELECT rowid AS key, updated_at, node_metadata FROM sessions INDEXED BY " + statusIndex + " WHERE " + test + " ORDER BY updated_at DESC LIMIT " + fleetCandidates
	if !indexed {
		page = "SELECT key, updated_at, node_metadata FROM (SELECT rowid AS key, updated_at, node_metadata, status FROM sessions ORDER BY rowid DESC LIMIT " +
			fleetCandidates + ") WHERE " + test + " ORDER BY updated_at DESC"
	}
	return "SELECT s.key, s.updated_at FROM (" + page + ") s WHERE " + isVisible + " LIMIT ?"
}

// fleetRows reads the newest sessions of some statuses. since is the earliest
// update, and the earliest end of those that have one.
func (s *snap) fleetRows(indexed bool, statuses []string, since float64, limit int) (rows []session.Row, more bool, err error) {
	var keys []fleetKey
	for _, status := range statuses {
		args := []any{status}
		if since > 0 {
			args = append(args, since)
		}
		err := s.each(fleetSQL(indexed, since > 0), func(stmt *sqlite3.Stmt) error {
			keys = append(keys, fleetKey{stmt.ColumnInt64(0), stmt.ColumnFloat(1)})
			return nil
		}, append(args, limit+1)...)
		if err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(keys, func(a, b fleetKey) int { return cmp.Or(cmp.Compare(b.at, a.at), cmp.Compare(b.rowid, a.rowid)) })
	more = len(keys) > limit
	handles := make([]int64, 0, limit)
	for _, k := range keys[:min(limit, len(keys))] {
		handles = append(handles, k.rowid)
	}
	rows, err = listingSnap{s}.Hydrate(listing.Recent, handles)
	if err != nil {
		return nil, false, err
	}
	rows = slices.DeleteFunc(rows, func(r session.Row) bool { return r.EndedAt != nil && *r.EndedAt < since })
	return rows, more, nil
}

// fleetPodSQL reads the pods that have not ended.
const fleetPodSQL = "SELECT " + podColumns + `, pod_key,
	(SELECT name FROM sessions WHERE sessions.id = pods.session_id), (SELECT project FROM sessions WHERE sessions.id = pods.session_id),
	EXISTS (SELECT 1 FROM inbox WHERE inbox.pod_key = pods.pod_key),
	max(started_at, coalesce((SELECT created_at FROM entries INDEXED BY idx_entries_event
		WHERE entries.pod_key = pods.pod_key AND seq IS NOT NULL ORDER BY seq DESC LIMIT 1), 0))
	FROM pods WHERE name IS NOT NULL AND ended_at IS NULL ORDER BY name LIMIT ?`

func (s *snap) fleetPods(q session.FleetQuery) (pods []session.FleetPod, err error) {
	var keys []int64
	var waiting []bool
	err = s.each(fleetPodSQL, func(stmt *sqlite3.Stmt) error {
		p, err := scanPod(stmt)
		if err != nil {
			return err
		}
		keys = append(keys, stmt.ColumnInt64(podWidth))
		waiting = append(waiting, stmt.ColumnBool(podWidth+3))
		pods = append(pods, session.FleetPod{
			Pod: p, SessionName: optionalText(stmt, podWidth+1), Project: optionalText(stmt, podWidth+2), SeenAt: stmt.ColumnFloat(podWidth + 4),
		})
		return nil
	}, fleetPods)
	if err != nil {
		return nil, err
	}
	for i := range pods {
		p := &pods[i]
		if !waiting[i] {
			if p.LastRun, p.LastRunAt, err = s.lastRun(keys[i]); err != nil {
				return nil, err
			}
		}
		if since, asked := q.InputsSince[p.ID]; asked {
			if p.InputSince, err = s.inputSince(keys[i], since); err != nil {
				return nil, err
			}
			p.InputSince = p.InputSince || waiting[i]
		}
	}
	return pods, nil
}

// podEventsSQL walks back through a pod's durable events.
const podEventsSQL = `SELECT kind, created_at, CASE kind WHEN 'run_end' THEN payload END FROM entries INDEXED BY idx_entries_event
	WHERE pod_key = ? AND seq IS NOT NULL ORDER BY seq DESC LIMIT ?`

// lastRun is the end of a pod's last run unless an input came since.
func (s *snap) lastRun(podKey int64) (end *session.RunEnd, at float64, err error) {
	err = s.each(podEventsSQL, func(stmt *sqlite3.Stmt) error {
		switch session.Kind(stmt.ColumnText(0)) {
		case session.KindInput:
			return errStop
		case session.KindRunEnd:
			end, at = &session.RunEnd{}, stmt.ColumnFloat(1)
			// A damaged end says nothing of the run but that it is over.
			_ = json.Unmarshal([]byte(stmt.ColumnText(2)), end)
			return errStop
		}
		return nil
	}, podKey, runEvents)
	return end, at, err
}

// inputSince reports whether an input became an entry after a time.
func (s *snap) inputSince(podKey int64, since float64) (found bool, err error) {
	err = s.each(podEventsSQL, func(stmt *sqlite3.Stmt) error {
		switch {
		case stmt.ColumnFloat(1) <= since:
			return errStop
		case session.Kind(stmt.ColumnText(0)) == session.KindInput:
			found = true
			return errStop
		}
		return nil
	}, podKey, inputEvents)
	return found, err
}

// LivePod finds a pod that has not ended by its name; session.ErrNotFound when
// there is none.
func (v *View) LivePod(ctx context.Context, name string) (pod session.Pod, err error) {
	found := false
	_, err = v.read(ctx, bounded, "find a pod", func(s *snap) (err error) {
		if !s.facts.has("pods") || !s.facts.has("logs") {
			return nil
		}
		pod, found, err = podByName(s.conn, name)
		return err
	})
	if err == nil && (!found || !pod.EndedAt.IsZero()) {
		err = session.ErrNotFound
	}
	return pod, err
}
