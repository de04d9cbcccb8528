package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"podium.local/config"
	"podium.local/llm/catalog"
	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
)

// demoSessions is how many sessions of history the demo's store holds beside
// those of its pods.
const demoSessions = 20_000

// demoSpan is the time that the history covers.
const demoSpan = 180 * 24 * time.Hour

// The words that the history is made of.
var (
	demoProjects = []string{"shop", "billing", "website", "mobile-app", "infra", "data-pipeline", "docs", "auth", "search", "notifications"}
	demoVerbs    = []string{"fix", "explain", "refactor", "test", "review", "migrate", "document", "speed up", "simplify", "investigate", "rename", "upgrade"}
	demoThings   = []string{
		"the flaky login test", "the billing migration", "rounding in invoices", "the slow search query", "the retry loop", "the cart's total",
		"session expiry", "the webhook handler", "the CSV export", "the release script", "the cache key", "pagination of orders",
		"the rate limiter", "the password reset mail", "the nightly job", "time zones in reports", "the image resizer", "the feature flags",
		"error messages of the API", "the docker build", "the index on orders", "the memory leak in the worker", "the dark theme", "the audit log",
	}
	demoWhere  = []string{"", "", "", " before the release", " on main", " again", " as the ticket says", " and add a test"}
	demoModels = []struct{ scheme, vendor, model string }{
		{schemeAnthropic, "anthropic", "claude-sonnet-4-6"}, {schemeAnthropic, "anthropic", "claude-haiku-4-5"},
		{schemeResponses, "openai", "gpt-5-mini"}, {schemeResponses, "openai", "gpt-5"}, {schemeChat, "openai-chat", "heron-coder-9b"},
	}
	demoEnds = []struct {
		share  int // of 100
		status session.Status
		result protocol.RunResult
		words  string
	}{
		{86, session.StatusCompleted, protocol.RunFinished, ""},
		{7, session.StatusFailed, protocol.RunFailed, "API error (status 529, overloaded_error): the model is overloaded"},
		{5, session.StatusCancelled, protocol.RunCancelled, ""},
		{2, session.StatusCompleted, protocol.RunLimitReached, ""},
	}
)

// writeHistory fills a store with the sessions that a few months of work
// leave, the way pods write them: each is started, committed to and left, at
// its own time. The same seed gives the same history.
func writeHistory(ctx context.Context, path string, sessions int, now time.Time, progress func(done int)) (err error) {
	var clock time.Time
	st, err := store.Create(ctx, path, store.Options{Bulk: true, Now: func() time.Time { return clock }})
	if err != nil {
		return err
	}
	defer func() {
		if e := st.Close(); err == nil {
			err = e
		}
	}()
	self, err := pod.ThisProcess()
	if err != nil {
		return err
	}
	rnd := rand.New(rand.NewPCG(2026, 11))
	models := catalog.New(nil)
	step := demoSpan / time.Duration(sessions)
	const batch = 100 // keeps a transaction below 50 ms
	for first := 0; first < sessions; first += batch {
		err := st.Batch(ctx, func(b *store.Batch) error {
			for i := first; i < min(first+batch, sessions); i++ {
				// From the oldest to the newest, as a store grows.
				clock = now.Add(-demoSpan + time.Duration(i)*step + time.Duration(rnd.Int64N(int64(step))))
				if err := writeDemoSession(b, self, models, rnd, &clock); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("write the demo's history: %w", err)
		}
		if progress != nil {
			progress(min(first+batch, sessions))
		}
	}
	return st.ForgetPod(ctx, demoWriter)
}

// demoWriter is the pod that all sessions of the history were held by.
const demoWriter = "history"

func writeDemoSession(b *store.Batch, self session.Process, models catalog.Catalog, rnd *rand.Rand, clock *time.Time) error {
	m := pick(rnd, demoModels)
	project := pick(rnd, demoProjects)
	ask := pick(rnd, demoVerbs) + " " + pick(rnd, demoThings) + pick(rnd, demoWhere)
	row, err := b.StartPod(session.PodStart{
		Name: demoWriter, New: true, Cwd: "/home/ada/src/" + project, Project: project,
		Provider: m.scheme, Model: m.model, Process: self,
	})
	if err != nil {
		return err
	}
	end := demoEnds[0]
	for at, e := rnd.IntN(100), 0; ; e++ {
		if at -= demoEnds[e].share; at < 0 {
			end = demoEnds[e]
			break
		}
	}
	in, out := 2_000+rnd.Int64N(60_000), 100+rnd.Int64N(4_000)
	usage := session.Usage{InputTokens: &in, OutputTokens: &out, CacheReadTokens: in / 2}
	if known, ok := models.Lookup(m.vendor, m.model); ok && known.Price != nil {
		cost := float64(in-in/2)*known.Price.Input/1e6 + float64(out)*known.Price.Output/1e6
		usage.CostUSD, usage.PriceSource = &cost, string(known.Price.Source)
	}
	file := "/home/ada/src/" + project + "/" + pick(rnd, []string{"main.go", "server.go", "orders.go", "README.md"})
	call := session.ToolCall{CallID: "call_1", Name: "Read", Arguments: []byte(fmt.Sprintf(`{"file_path":%q}`, file))}
	lines := 20 + rnd.IntN(400)
	*clock = clock.Add(time.Duration(5+rnd.IntN(900)) * time.Second)
	commit := session.Commit{
		PodID: row.ID, SessionID: row.SessionID, At: *clock, Phase: session.PhaseIdle, Usage: &usage, Turns: 1, Name: ask,
	}
	add := func(kind session.Kind, payload any) {
		commit.Entries = append(commit.Entries, session.NewEntry{ID: protocol.NewEntryID(), Kind: kind, Payload: payload})
	}
	add(session.KindInput, session.Input{Text: ask, Kind: protocol.InputText})
	add(session.KindToolCall, call)
	add(session.KindToolResult, session.ToolResult{CallID: "call_1", Summary: fmt.Sprintf("Read %d line(s) from %s", lines, file)})
	if end.result != protocol.RunFailed {
		add(session.KindText, session.Text{Text: "Done: " + ask + ". The change is in `" + file + "`, with a test beside it."})
	}
	add(session.KindTurnEnd, session.TurnEnd{Model: m.model, Usage: &usage, StopReason: "end"})
	add(session.KindRunEnd, session.RunEnd{Result: end.result, Error: end.words})
	if _, err := b.Commit(commit); err != nil {
		return err
	}
	*clock = clock.Add(time.Second)
	return b.Leave(session.Leave{
		PodID: row.ID, SessionID: row.SessionID, At: *clock, Status: end.status,
		ReasonCode: "session." + string(end.status), Reason: end.words,
	})
}

func pick[T any](rnd *rand.Rand, from []T) T { return from[rnd.IntN(len(from))] }

// demoStore is the store of a home.
func demoStore(a *app) (string, error) {
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return "", err
	}
	if err := config.MakeDir(paths.Data); err != nil {
		return "", err
	}
	return paths.StateDB(), nil
}
