package studio_test

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/store"
	"podium.local/store/storetest"
)

// nextChange reads frames up to the first that is no heartbeat.
func nextChange(t testing.TB, frames <-chan frame) (m message) {
	t.Helper()
	patience := time.After(20 * time.Second)
	for {
		select {
		case f, open := <-frames:
			if !open {
				t.Fatal("the stream ended")
			}
			if f.id == "" {
				continue
			}
			if err := json.Unmarshal([]byte(f.data), &m); err != nil {
				t.Fatalf("%v in %s", err, f.data)
			}
			m.ID = f.id
			return m
		case <-patience:
			t.Fatal("no frame came")
		}
	}
}

// followFleet opens a fleet stream over a real connection.
func followFleet(t testing.TB, ctx context.Context, base string) <-chan frame {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/api/fleet/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(bearer[0], bearer[1])
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d %v", resp.StatusCode, resp.Header)
	}
	return readFrames(ctx, resp.Body)
}

func TestFleetStream_AStoreOfLionagisHasRowsAndNoPods(t *testing.T) {
	path := lionagiStore(t)
	storetest.SQL(t, path, "UPDATE sessions SET status = 'gated', node_metadata = NULL WHERE id = 'ten'")
	base := serve(t, open(t, path, nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames := followFleet(t, ctx, base)
	first := nextChange(t, frames)
	if first.Type != "reset" || len(first.Pods) != 0 || !strings.Contains(names(first.Runs, "id"), "ten") {
		t.Errorf("%+v", first)
	}
	storetest.SQL(t, path, "UPDATE sessions SET status = 'blocked' WHERE id = 'ten'")
	m := nextChange(t, frames)
	if names(m.Runs, "id") != "ten" || m.Runs[0]["attention"].(map[string]any)["kind"] != "blocked" {
		t.Errorf("%+v", m)
	}
	storetest.SQL(t, path, "UPDATE sessions SET status = 'completed' WHERE id = 'ten'")
	if m := nextChange(t, frames); strings.Join(m.GoneRuns, " ") != "ten" {
		t.Errorf("%+v", m)
	}
}

func TestFleetStream_AStoreThatComesIsShownAndNoneIsMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	base := serve(t, open(t, path, nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	frames := followFleet(t, ctx, base)
	if m := nextChange(t, frames); m.Type != "reset" || len(m.Pods)+len(m.Runs) != 0 {
		t.Errorf("%+v", m)
	}
	st, err := store.Create(t.Context(), path, store.Options{Now: func() time.Time { return clock }, Alive: nil})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	storetest.Start(t, st, storetest.PodStart("worker"))
	for {
		m := nextChange(t, frames)
		if len(m.Pods) > 0 {
			if names(m.Pods, "name") != "worker" || names(m.Runs, "status") != "running" {
				t.Errorf("%+v", m)
			}
			return
		}
	}
}
