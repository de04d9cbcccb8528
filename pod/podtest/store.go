package podtest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// InboxLimit is how many inputs the store's inbox holds.
const InboxLimit = 128

// Store keeps pods and sessions in memory, with the promises that the runtime
// asks of a store. It outlives pods, so that a test can start them again.
type Store struct {
	mu       sync.Mutex
	pods     map[string]*podRow
	sessions map[string][]session.Entry
	rows     map[string]*Row
	// Fail, when set, is asked before each write ("start", "accept", "commit",
	// "continue", "leave", "drop"); its error is returned and nothing is
	// written.
	fail func(operation string) error
}

// Row is what a session's row says.
type Row struct {
	Status     session.Status
	ReasonCode string
	Reason     string
	Phase      session.Phase
	Name       string
	Turns      int
	Usage      session.Totals
}

type podRow struct {
	session.Pod
	inbox    []session.InboxItem
	requests map[string]string
}

// NewStore makes an empty store.
func NewStore() *Store {
	return &Store{pods: map[string]*podRow{}, sessions: map[string][]session.Entry{}, rows: map[string]*Row{}}
}

// FailWith lets f decide before each write whether it fails; nil ends that.
func (s *Store) FailWith(f func(operation string) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = f
}

func (s *Store) failure(operation string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(operation)
}

// Row is a copy of a session's row.
func (s *Store) Row(sessionID string) Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	return *s.rows[sessionID]
}

// All is a session's whole log.
func (s *Store) All(sessionID string) []session.Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.sessions[sessionID])
}

// StartPod implements pod.Store.
func (s *Store) StartPod(_ context.Context, start session.PodStart) (session.Pod, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failure("start"); err != nil {
		return session.Pod{}, err
	}
	row := s.pods[start.Name]
	if row == nil {
		row = &podRow{Pod: session.Pod{ID: protocol.NewPodID(), Name: start.Name}, requests: map[string]string{}}
		s.pods[start.Name] = row
	}
	switch {
	case start.SessionID != "":
		if _, ok := s.rows[start.SessionID]; !ok {
			return session.Pod{}, fmt.Errorf("session %s: %w", start.SessionID, session.ErrNotFound)
		}
		row.SessionID = start.SessionID
	case start.New || row.SessionID == "":
		row.SessionID = protocol.NewSessionID().String()
		s.rows[row.SessionID] = &Row{}
	}
	row.Cwd, row.Provider, row.Model, row.Socket, row.Process = start.Cwd, start.Provider, start.Model, start.Socket, start.Process
	row.StartedAt, row.EndedAt = time.Now(), time.Time{}
	row.Length = int64(len(s.sessions[row.SessionID]))
	r := s.rows[row.SessionID]
	row.Phase = r.Phase
	r.Status, r.Phase = session.StatusRunning, session.PhaseIdle
	return row.Pod, nil
}

func (s *Store) pod(id protocol.PodID) (*podRow, error) {
	for _, row := range s.pods {
		if row.ID == id {
			return row, nil
		}
	}
	return nil, fmt.Errorf("pod %s: %w", id, session.ErrNotFound)
}

// Accept implements pod.Store.
func (s *Store) Accept(_ context.Context, a session.Acceptance) (string, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.pod(a.PodID)
	if err != nil {
		return "", false, err
	}
	if id, ok := row.requests[a.RequestID]; ok && a.RequestID != "" {
		return id, true, nil
	}
	if err := s.failure("accept"); err != nil {
		return "", false, err
	}
	if len(row.inbox) >= InboxLimit {
		return "", false, session.ErrInboxFull
	}
	row.inbox = append(row.inbox, a.Item)
	if a.RequestID != "" {
		row.requests[a.RequestID] = a.Item.EntryID
	}
	return a.Item.EntryID, false, nil
}

// Accepted implements pod.Store.
func (s *Store) Accepted(_ context.Context, pod protocol.PodID, requestID string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.pod(pod)
	if err != nil {
		return "", err
	}
	return row.requests[requestID], nil
}

// Inbox implements pod.Store.
func (s *Store) Inbox(_ context.Context, pod protocol.PodID) ([]session.InboxItem, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.pod(pod)
	if err != nil {
		return nil, err
	}
	return slices.Clone(row.inbox), nil
}

func (row *podRow) drop(entryIDs []string) {
	row.inbox = slices.DeleteFunc(row.inbox, func(i session.InboxItem) bool { return slices.Contains(entryIDs, i.EntryID) })
}

// Commit implements pod.Store.
func (s *Store) Commit(_ context.Context, c session.Commit) ([]session.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.pod(c.PodID)
	if err != nil {
		return nil, err
	}
	if row.SessionID != c.SessionID {
		return nil, session.ErrLost
	}
	if err := s.failure("commit"); err != nil {
		return nil, err
	}
	entries, err := s.appendTo(row, c.SessionID, c.At, c.Entries, true)
	if err != nil {
		return nil, err
	}
	row.drop(c.Taken)
	r := s.rows[c.SessionID]
	if c.Phase != "" {
		r.Phase = c.Phase
	}
	if r.Name == "" {
		r.Name = c.Name
	}
	r.Turns += c.Turns
	r.Usage.Add(c.Usage)
	if c.Bookmark != nil {
		row.Bookmark = c.Bookmark
	}
	row.Length = int64(len(s.sessions[c.SessionID]))
	return entries, nil
}

func (s *Store) appendTo(row *podRow, sessionID string, at time.Time, news []session.NewEntry, durable bool) ([]session.Entry, error) {
	var entries []session.Entry
	for _, n := range news {
		payload, err := json.Marshal(n.Payload)
		if err != nil {
			return nil, err
		}
		e := session.Entry{
			SessionID: sessionID, Ordinal: int64(len(s.sessions[sessionID]) + len(entries)),
			ID: n.ID, Kind: n.Kind, CreatedAt: at, Payload: payload,
		}
		if durable && n.Kind.Durable() {
			row.Seq++
			e.PodID, e.Seq = row.ID, row.Seq
		}
		entries = append(entries, e)
	}
	s.sessions[sessionID] = append(s.sessions[sessionID], entries...)
	return entries, nil
}

// Continue implements pod.Store.
func (s *Store) Continue(_ context.Context, c session.Continuation) ([]session.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	row, err := s.pod(c.PodID)
	if err != nil {
		return nil, err
	}
	if row.SessionID != c.FromSession || int64(len(s.sessions[c.FromSession])) != c.Head {
		return nil, session.ErrLost
	}
	if err := s.failure("continue"); err != nil {
		return nil, err
	}
	s.rows[c.NewSession] = &Row{Status: session.StatusRunning, Phase: c.Phase, Name: c.Name}
	opening, err := s.appendTo(row, c.NewSession, c.At, c.Entries, false)
	if err != nil {
		return nil, err
	}
	done, err := s.appendTo(row, c.NewSession, c.At, []session.NewEntry{c.Done}, true)
	if err != nil {
		return nil, err
	}
	old := s.rows[c.FromSession]
	old.Status, old.ReasonCode = session.StatusCompleted, "session.compacted"
	old.Usage.Add(c.Usage)
	row.SessionID, row.Bookmark = c.NewSession, c.Bookmark
	row.Length = int64(len(s.sessions[c.NewSession]))
	return append(opening, done...), nil
}

// Ordinal implements pod.Store.
func (s *Store) Ordinal(_ context.Context, sessionID, entryID string) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.sessions[sessionID] {
		if e.ID == entryID {
			return e.Ordinal, nil
		}
	}
	return 0, session.ErrNotFound
}

// Log implements pod.Store.
func (s *Store) Log(_ context.Context, sessionID string, from, to int64, limit int) ([]session.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.sessions[sessionID]
	if to < 0 || to > int64(len(all)) {
		to = int64(len(all))
	}
	from = min(max(from, 0), to)
	if limit > 0 {
		to = min(to, from+int64(limit))
	}
	return slices.Clone(all[from:to]), nil
}

// Since implements pod.Store.
func (s *Store) Since(_ context.Context, pod protocol.PodID, after uint64, limit int) ([]session.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var entries []session.Entry
	for _, log := range s.sessions {
		for _, e := range log {
			if e.PodID == pod && e.Seq > after {
				entries = append(entries, e)
			}
		}
	}
	slices.SortFunc(entries, func(a, b session.Entry) int { return int(a.Seq) - int(b.Seq) })
	if limit > 0 {
		entries = entries[:min(limit, len(entries))]
	}
	return entries, nil
}

// Leave implements pod.Store.
func (s *Store) Leave(_ context.Context, l session.Leave) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.failure("leave"); err != nil {
		return err
	}
	row, err := s.pod(l.PodID)
	if err != nil {
		return err
	}
	row.EndedAt = l.At
	r := s.rows[l.SessionID]
	r.Status, r.ReasonCode, r.Reason = l.Status, l.ReasonCode, l.Reason
	return nil
}
