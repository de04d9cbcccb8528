package main

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

//go:embed login_test.go.txt
var loginTest string

// conversations writes one session of each sort that a reader may open. Their
// names are what the browser tests look for.
func (w *writer) conversations() error {
	w.flaky()
	w.compacted()
	w.failed()
	w.endless()
	w.hostile()
	w.running()
	w.unpriced()
	return w.err
}

// flaky is the session of the screenshots: tools, a diff, reasoning, words.
func (w *writer) flaky() {
	t := w.start("implementer", 26*time.Minute, "claude-sonnet-5", "anthropic", "shop", "fix the flaky login test")
	t.asks("fix the flaky login test")
	t.thinks("The test fails about once in forty runs. I should see what it compares before I change anything.")
	t.says("I will read the test first and then run it until it fails.")
	t.uses(80*time.Millisecond, "Read", map[string]any{"file_path": "/home/ada/src/shop/login/login_test.go"}, "Read 32 line(s) from /home/ada/src/shop/login/login_test.go", loginTest, false)
	t.uses(4200*time.Millisecond, "Bash", map[string]any{"command": "go test ./login -run Flaky -count 40", "description": "Run the test until it fails"}, "Exit code: 1",
		"--- FAIL: TestLogin_Flaky (0.02s)\n    login_test.go:24: session expires at 14:22:07, want 14:22:08\nFAIL\nFAIL\tshop/login\t3.812s", true)
	t.turnEnd(18_400, 420, 0.06)
	t.thinks("The expected expiry is computed from a second call of time.Now. When the clock passes a second between both, they differ by one.")
	t.says("The clock is read twice: once by the code and once by the test. When a second passes in between, the expiry is off by one. The login code has a field for its clock already; the test only has to set it.")
	t.uses(30*time.Millisecond, "Edit", map[string]any{
		"file_path":  "/home/ada/src/shop/login/login_test.go",
		"old_string": "\tl := New(store)\n\twant := time.Now().Add(time.Hour)\n",
		"new_string": "\tnow := time.Date(2026, 5, 3, 14, 22, 7, 0, time.UTC)\n\tl := New(store)\n\tl.now = func() time.Time { return now }\n\twant := now.Add(time.Hour)\n",
	}, "Edited /home/ada/src/shop/login/login_test.go (1 replacement(s))", "", false)
	t.uses(9100*time.Millisecond, "Bash", map[string]any{"command": "go test ./login -count 200"}, "Exit code: 0", "ok  \tshop/login\t8.644s", false)
	t.turnEnd(21_900, 610, 0.08)
	t.says("Fixed. The test now runs on a clock of its own, and 200 runs pass.\n\n- changed: `login/login_test.go`, four lines\n- untouched: `login/login.go`; the clock was a field already\n\n| before | after |\n|---|---|\n| 1 failure in 40 runs | none in 200 |\n")
	t.turnEnd(23_100, 180, 0.07)
	t.runEnd(protocol.RunFinished, "")
	t.asks("is the same mistake anywhere else?")
	t.uses(140*time.Millisecond, "Grep", map[string]any{"pattern": `time\.Now\(\)`, "path": "/home/ada/src/shop", "glob": "*_test.go"}, "Found 2 match(es) in 2 file(s)",
		"/home/ada/src/shop/cart/cart_test.go:41:\tstart := time.Now()\n/home/ada/src/shop/mail/mail_test.go:18:\tsent := time.Now()", false)
	t.says("Twice, and both are harmless: `cart_test.go` and `mail_test.go` only measure how long something took. See [the notes on clocks](https://go.dev/blog/synctest) for tests that need more than one.")
	t.turnEnd(24_000, 150, 0.07)
	t.runEnd(protocol.RunFinished, "")
	t.leave(session.StatusCompleted, "")
}

// compacted is a pair of sessions: the second continues the first.
func (w *writer) compacted() {
	t := w.start("migrator", 3*time.Hour, "claude-sonnet-5", "anthropic", "ledger", "move the ledger to decimal amounts")
	t.asks("move the ledger to decimal amounts")
	for i := range 12 {
		t.uses(90*time.Millisecond, "Read", map[string]any{"file_path": fmt.Sprintf("/home/ada/src/ledger/account/part_%d.go", i)},
			fmt.Sprintf("Read 120 line(s) from /home/ada/src/ledger/account/part_%d.go", i), strings.Repeat("     1\tpackage account\n", 120), false)
	}
	t.turnEnd(182_000, 900, 0.61)
	t.compacts("The task: move the ledger to decimal amounts. Read so far: account/part_0.go to part_11.go. Next: change Amount in money.go.", 182_000, 21_000)
	t.says("Continuing with `Amount` in `money.go`.")
	t.turnEnd(21_400, 60, 0.07)
	t.runEnd(protocol.RunFinished, "")
	t.leave(session.StatusCompleted, "")
}

func (w *writer) failed() {
	t := w.start("importer", 50*time.Minute, "gpt-5", "openai_responses", "atlas", "import the spring atlas")
	t.asks("import the spring atlas")
	t.hears("The disk is 91 % full.")
	t.uses(600*time.Millisecond, "Bash", map[string]any{"command": "atlasctl import spring.zip"}, "Exit code: 2", "atlasctl: spring.zip: not a zip file", true)
	t.turnEnd(9_000, 120, 0.02)
	t.runEnd(protocol.RunFailed, "the provider answered 529 five times; the last answer was: overloaded")
	t.leave(session.StatusFailed, "the provider answered 529 five times")
}

// endless has several windows of entries.
func (w *writer) endless() {
	t := w.start("watcher", 5*time.Hour, "claude-haiku-5", "anthropic", "infra", "watch the deploy of every service")
	t.asks("watch the deploy of every service and tell me what changes")
	for i := range 300 {
		t.uses(200*time.Millisecond, "Bash", map[string]any{"command": fmt.Sprintf("deployctl status service-%03d", i)}, "Exit code: 0", fmt.Sprintf("service-%03d healthy", i), false)
		t.says(fmt.Sprintf("Check %d of 300: service-%03d is healthy.", i+1, i))
	}
	t.turnEnd(64_000, 8_000, 0.09)
	t.runEnd(protocol.RunFinished, "")
	t.leave(session.StatusCompleted, "")
}

// hostile holds what must never be executed, or bend the page.
func (w *writer) hostile() {
	markup := `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
	t := w.start("hostile", 9*time.Hour, "gpt-5-mini", "openai_responses", "website", markup+" \u202egnol\u202c "+strings.Repeat("x", 60))
	t.asks(markup + "\n\n\u202e\u0645\u0631\u062d\u0628\u0627 \u200b\u200b" + strings.Repeat("long", 4000))
	t.says(markup + "\n\n[a trap](javascript:document.title='owned') ![a picture](https://example.com/x.png) <b>raw</b>\n\n```html\n" + markup + "\n```\n")
	t.uses(10*time.Millisecond, "Bash", map[string]any{"command": "printf '" + markup + "'"}, "Exit code: 0", markup+"\x1b[31mred\x1b[0m", false)
	t.turnEnd(2_000, 90, 0.001)
	t.runEnd(protocol.RunFinished, "")
	t.leave(session.StatusCompleted, "")
}

// runningPod is the pod of the session that still runs.
const runningPod = "reviewer"

// running still runs: its call has no result yet.
func (w *writer) running() {
	t := w.start(runningPod, 2*time.Minute, "claude-sonnet-5", "anthropic", "shop", "review the discount codes")
	t.asks("review the discount codes")
	t.thinks("Discounts touch money, so every place that parses or applies one matters.")
	t.says("Searching for everything that parses or applies a discount.")
	id := "call_" + protocol.NewEntryID()
	t.commit(time.Second, session.Commit{}, session.ToolCall{CallID: id, Name: "Bash", Arguments: []byte(`{"command":"go test ./discount -race"}`)})
}

// unpriced is by a model that nobody has a price for.
func (w *writer) unpriced() {
	t := w.start("librarian", 12*time.Minute, "heron-coder-9b", "openai_chat", "notes", "write down where things are")
	t.asks("write down where things are")
	t.says("Done: `NOTES.md` names every folder and what is in it.")
	t.turnEnd(3_000, 200, -1)
	t.runEnd(protocol.RunFinished, "")
	t.leave(session.StatusCompleted, "")
}
