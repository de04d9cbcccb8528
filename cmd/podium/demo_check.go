package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

// check is what --once is for: the work is really there, in the folder and in
// the store.
func (d *demo) check(ctx context.Context, ends []protocol.RunResult, page string) error {
	for i, p := range demoPods {
		if ends[i] != protocol.RunFinished {
			return fmt.Errorf("demo check: the run of %s ended %s", p.name, ends[i])
		}
	}
	for file, text := range map[string]string{"shop/cart.go": "l.Price * Cents(l.Quantity)", "REVIEW.md": "", "NOTES.md": ""} {
		b, err := os.ReadFile(filepath.Join(d.repo, file))
		if err != nil {
			return fmt.Errorf("demo check: %w", err)
		}
		if len(b) == 0 || !strings.Contains(string(b), text) {
			return fmt.Errorf("demo check: %s does not hold what its agent wrote", file)
		}
	}
	st, err := d.inner.openStore(ctx, "")
	if err != nil {
		return fmt.Errorf("demo check: %w", err)
	}
	defer st.Close()
	for _, p := range demoPods {
		if err := checkDemoSession(ctx, st, p); err != nil {
			return fmt.Errorf("demo check: %w", err)
		}
	}
	compacted, err := st.PodByName(ctx, demoPods[2].name)
	if err != nil {
		return fmt.Errorf("demo check: %w", err)
	}
	if err := checkDemoStudio(ctx, page, compacted.SessionID); err != nil {
		return fmt.Errorf("demo check: %w", err)
	}
	fmt.Fprintln(d.err, "\ndemo check: three runs finished, their files and their sessions are there, and Studio lists them")
	return nil
}

// checkDemoSession looks at what the store keeps of one pod: a whole run with
// tool calls and tokens, a cost exactly when the model has a price, and a
// second session exactly when the pod was to compact.
func checkDemoSession(ctx context.Context, st *store.Store, p demoPod) error {
	row, err := st.PodByName(ctx, p.name)
	if err != nil {
		return err
	}
	var totals session.Totals
	kinds := map[session.Kind]int{}
	sessions := 0
	for id := row.SessionID; id != ""; sessions++ {
		current := id
		id = ""
		err := eachEntry(ctx, st, current, func(e session.Entry) error {
			kinds[e.Kind]++
			payload, err := e.Decode()
			switch d := payload.(type) {
			case session.TurnEnd:
				totals.Add(d.Usage)
			case session.Compaction:
				id = d.FromSession
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	switch {
	case kinds[session.KindInput] != 1 || kinds[session.KindRunEnd] != 1:
		return fmt.Errorf("the log of %s has %d inputs and %d run ends, want one each", p.name, kinds[session.KindInput], kinds[session.KindRunEnd])
	case kinds[session.KindToolCall] == 0 || kinds[session.KindToolCall] != kinds[session.KindToolResult]:
		return fmt.Errorf("the log of %s has %d tool calls and %d results", p.name, kinds[session.KindToolCall], kinds[session.KindToolResult])
	case !totals.Known || totals.InputTokens == 0 || totals.OutputTokens == 0:
		return fmt.Errorf("the log of %s has no token counts", p.name)
	case p.priced != (totals.CostUSD != nil):
		return fmt.Errorf("the cost of %s is %s", p.name, money(totals.CostUSD, totals.Partial))
	case (p.config == "") != (sessions == 1) || sessions > 2:
		return fmt.Errorf("%s has %d sessions", p.name, sessions)
	}
	return nil
}

// checkDemoStudio asks the daemon what a browser would: the page, and the list
// with the history and the demo's own pods in it.
func checkDemoStudio(ctx context.Context, page, compacted string) error {
	base, _, _ := strings.Cut(page, "#")
	get := func(path string) ([]byte, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
		if err != nil {
			return nil, err
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("studio answered /%s with %s", path, resp.Status)
		}
		return body, err
	}
	html, err := get("")
	if err != nil {
		return err
	}
	if !bytes.Contains(html, []byte("<title>Podium</title>")) {
		return errors.New("studio serves no page")
	}
	body, err := get("api/runs/?per_page=10")
	if err != nil {
		return err
	}
	var list struct {
		Total int `json:"total"`
		Runs  []struct {
			Status string `json:"status"`
		} `json:"runs"`
	}
	if err := json.Unmarshal(body, &list); err != nil {
		return fmt.Errorf("studio's list: %w", err)
	}
	// The session that was left at the compaction is listed too.
	if want := demoSessions + len(demoPods) + 1; list.Total != want {
		return fmt.Errorf("studio lists %d sessions, want %d", list.Total, want)
	}
	running := 0
	for _, r := range list.Runs {
		if r.Status == string(session.StatusRunning) {
			running++
		}
	}
	if running != len(demoPods) {
		return fmt.Errorf("%d of the newest sessions in studio are running, want %d", running, len(demoPods))
	}
	body, err = get("api/sessions/" + compacted + "/lineage")
	if err != nil {
		return err
	}
	var lineage struct {
		From []struct {
			ID string `json:"session_id"`
		} `json:"compacted_from"`
	}
	if err := json.Unmarshal(body, &lineage); err != nil || len(lineage.From) != 1 {
		return fmt.Errorf("studio does not link the compacted session: %w, %s", err, body)
	}
	return nil
}
