package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"podium.local/protocol"
	"podium.local/session"
)

// longPod is the pod of the long session; it still runs.
const longPod = "walker"

// batch is how many entries of the long session one commit has.
const batch = 500

// long writes a session of about n entries, as fast as the store takes them:
// steps of a call, its result and words of different lengths. Its pod goes on.
func (w *writer) long(n int) {
	t := w.start(longPod, 26*time.Hour, "claude-haiku-5", "anthropic", "infra", "walk through every service")
	var part []any
	flush := func() {
		t.commit(time.Second, session.Commit{}, part...)
		part = part[:0]
	}
	part = append(part, session.Input{Text: "walk through every service and say what you see", Kind: protocol.InputText, Client: "ada"})
	for step := 0; 1+3*step+3 <= n-1; step++ {
		id := fmt.Sprintf("call_%06d", step)
		args, err := json.Marshal(map[string]any{"command": fmt.Sprintf("walkctl look service-%06d", step)})
		if w.err == nil {
			w.err = err
		}
		words := fmt.Sprintf("Step %d: service-%06d answers.", step, step)
		if step%4 == 3 {
			words += strings.Repeat(" It took its time, and the log of the last hour shows why: the queue was long and the workers were few.", step%7)
		}
		if step%50 == 20 {
			words += fmt.Sprintf("\n\n| service | state |\n|---|---|\n| service-%06d | slow |\n\n- restarted\n- watched for a minute\n", step)
		}
		if step%4_000 == 123 {
			words += " A needle lies here."
		}
		part = append(part,
			session.ToolCall{CallID: id, Name: "Bash", Arguments: args},
			session.ToolResult{CallID: id, Summary: "Exit code: 0", Content: fmt.Sprintf("service-%06d\n%s", step, strings.Repeat("ok\n", step%9))},
			session.Text{Text: words},
		)
		if len(part) >= batch {
			flush()
		}
	}
	flush()
	t.turnEnd(182_000, 900, 0.61)
	t.turnEnd(2_000, 90, -1)
	t.says("This is the newest of many.")
}

// large holds entries as large as a window carries them, and larger.
func (w *writer) large() {
	t := w.start("hoarder", 8*time.Hour, "gpt-5-mini", "openai_responses", "website", "read the whole warehouse")
	t.asks("read the whole warehouse")
	t.says("A long answer follows.\n" + strings.Repeat("All work and no play makes a dull page. ", 26_000))
	t.uses(40*time.Millisecond, "Bash", map[string]any{"command": "cat warehouse.log"}, "Exit code: 0", strings.Repeat("0123456789abcdef 0123456789abcdef\n", 150_000), false)
	t.uses(40*time.Millisecond, "Bash", map[string]any{"command": "cat almost.log"}, "Exit code: 0", strings.Repeat("a line of the warehouse\n", 40_000)+"the very last line", false)
	t.uses(40*time.Millisecond, "Write", map[string]any{"file_path": "/home/ada/src/website/index.html", "content": "<h1>warehouse</h1>\n<p>all of it</p>\n"}, "Wrote 36 byte(s)", "", false)
	t.says("\u202e\u0645\u0631\u062d\u0628\u0627\u202c and \u200bzero\u200bwidth, half a character: \ufffd, an emoji of several: \U0001F469\u200D\U0001F469\u200D\U0001F467.")
	t.says("That was the warehouse.")
	t.turnEnd(90_000, 60_000, 0.2)
	t.runEnd(protocol.RunFinished, "")
	t.leave(session.StatusCompleted, "")
}
