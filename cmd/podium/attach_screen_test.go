package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/rehearsal"
)

func TestScreen_AttachDuringAStreamAndTwoTerminalsShowTheSame(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	until := make(chan struct{})
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{Reasoning: "I think first.", Text: "The answer begins here and ends there.", Hold: &rehearsal.Hold{After: 6, Until: until}},
		{Text: "You are welcome."},
	}})
	h.startPod("k", url)
	a := x.start(100, 30, nil, "attach", "k")
	a.awaits("· k · idle", "connected")
	a.typed("What is it?")
	a.keys("Enter")
	a.awaits("› What is it?", "The answer")
	b := x.start(100, 30, nil, "attach", "k")
	b.awaits("» from podium/", "  What is it?", "The answer", "k · running")
	close(until)
	for _, p := range []*tty{a, b} {
		p.awaits("The answer begins here and ends there.", "k · idle")
	}
	b.typed("Thanks.")
	b.keys("Enter")
	b.awaits("› Thanks.", "You are welcome.", "k · idle")
	text := a.awaits("» from podium/", "  Thanks.", "You are welcome.")
	if line := lineWith(text, "» from"); !strings.HasSuffix(line, ")") || !strings.Contains(line, " (pts/") {
		t.Errorf("which terminal said so is not told: %q", line)
	}
	// Leaving never stops the pod.
	b.keys("C-c")
	b.awaits("Press Ctrl-C again within 3 s to exit the TUI (the Pod keeps running).")
	b.keys("C-c")
	b.awaits("left with 0", "The pod lives on; podium attach k comes back.")
	a.awaits("k · idle", "1 client")
}

func TestScreen_APodKilledInMidStreamComesBackOnTheSameScreen(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	until := make(chan struct{})
	t.Cleanup(func() { close(until) })
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: "It begins well and never ends.", Hold: &rehearsal.Hold{After: 3, Until: until}},
		{Text: "Back again."},
	}})
	pod := h.startPod("k", url)
	a := x.start(100, 30, nil, "attach", "k")
	a.awaits("k · idle")
	a.typed("Go.")
	a.keys("Enter")
	a.awaits("It begins")
	pod.kill()
	a.awaits("The pod is dead. Enter starts it again and sends what is written.", "△ k · connection lost")
	a.typed("half a thought")
	h.startPod("k", url)
	text := a.awaits("k · idle", "── failed", "› half a thought")
	if strings.Contains(text, "It begins") || strings.Contains(text, "connection lost") {
		t.Errorf("what the pod never confirmed is still there:\n%s", text)
	}
	a.keys("Enter")
	a.awaits("› half a thought", "Back again.")
}

func TestScreen_CompactionLinesAreByteForByte(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	until := make(chan struct{})
	summary := rehearsal.Call{Name: "write_summary", Args: rehearsal.Args{"text": "Nothing much happened."}}
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: strings.Repeat("A long story. ", 3000), Pace: rehearsal.Pace{Chunk: "whole"}},
		{When: rehearsal.When{Offers: "write_summary"}, Times: 1, Calls: []rehearsal.Call{summary}, Hold: &rehearsal.Hold{Until: until}},
		{When: rehearsal.When{Offers: "write_summary", After: "write_summary"}, Text: "Written."},
		{When: rehearsal.When{Offers: "write_summary"}, Fault: &rehearsal.Fault{Kind: "status", Status: 400, Message: "no summaries today"}},
		{Text: "Short."},
	}})
	h.startPod("k", url)
	a := x.start(120, 30, nil, "attach", "k")
	a.awaits("k · idle")
	a.typed("Tell me.")
	a.keys("Enter")
	a.awaits("── 1 request", "k · idle")
	a.typed("/compact")
	a.keys("Enter")
	text := a.awaits("[compact] starting", "k · compacting")
	if line := lineWith(text, "[compact]"); !strings.HasPrefix(line, "◒ [compact] starting  00:") {
		t.Errorf("while it runs: %q", line)
	}
	close(until)
	text = a.awaits("[compact] done", "k · idle")
	line := lineWith(text, "[compact]")
	var id string
	if n, err := fmt.Sscanf(line, "✓ [compact] done (new session %8s)", &id); n != 1 || err != nil || len(line) != len("✓ [compact] done (new session 01234567)") {
		t.Errorf("done: %q", line)
	}
	// The status line and podium ps name it by the end, which commands take.
	var pods struct {
		SessionID string `json:"session_id"`
	}
	out, err := h.command("ps", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &pods); err != nil || !strings.HasPrefix(pods.SessionID, id) {
		t.Fatalf("ps: %s: %v, want a session that begins with %s", out, err, id)
	}
	short := pods.SessionID[len(pods.SessionID)-8:]
	if ps, _ := output(t, h.command("ps")); !strings.Contains(text, "· "+short+" ·") || !strings.Contains(ps, short) {
		t.Errorf("the status line or ps do not name the session %s:\n%s%s", short, text, ps)
	}
	for _, ref := range []string{short, pods.SessionID, pods.SessionID[:30]} {
		if text, code := output(t, h.command("sessions", "show", ref)); code != 0 || !strings.Contains(text, pods.SessionID) {
			t.Errorf("show %s: exit %d: %s", ref, code, text)
		}
	}
	a.typed("/compact")
	a.keys("Enter")
	if line := lineWith(a.awaits("[compact error]"), "[compact error]"); !strings.HasPrefix(line, "✗ [compact error] ") {
		t.Errorf("failed: %q", line)
	}
}

func TestScreen_NoKeyIsLostWhileDeltasComeAtFullSpeed(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{
		{Text: strings.Repeat("word ", 100_000)},
		{Default: true, Text: "Got it."},
	}})
	h.startPod("k", url)
	a := x.start(100, 30, nil, "attach", "k")
	a.awaits("k · idle")
	a.typed("Talk.")
	a.keys("Enter")
	a.awaits("k · running", "word word")
	var want strings.Builder
	for i := range 60 {
		word := fmt.Sprintf("k%d,", i)
		want.WriteString(word)
		a.typed(word)
	}
	a.until("holds every key", func(text string) bool {
		_, input, _ := strings.Cut(text, "› k0,")
		return strings.Contains(strings.NewReplacer("\n", "", " ", "").Replace("k0,"+input), want.String())
	})
	a.awaits("k · idle", "── 1 request")
}

func TestScreen_APasteOfOneMegabyteIsAChipAndArrivesWhole(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Read it."}}})
	h.startPod("k", url)
	a := x.start(100, 30, nil, "attach", "k")
	a.awaits("k · idle")
	big := strings.Repeat("0123456789 abcdefgh\n", 52_000) + "the end"
	file := filepath.Join(h.dir, "big")
	if err := os.WriteFile(file, []byte(big), 0o600); err != nil {
		t.Fatal(err)
	}
	a.typed("look: ")
	x.run("load-buffer", "-b", "big", file)
	x.run("paste-buffer", "-p", "-b", "big", "-t", a.name)
	a.awaits("› look: [paste 1.0 MB, 52001 lines]")
	a.keys("Enter")
	a.awaits("Read it.", "k · idle")
	out, err := h.command("history", "--json", "k").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll("look: "+big, "\n", `\n`); !strings.Contains(string(out), want) {
		t.Errorf("the log does not hold the paste: %d bytes, begins %.200s", len(out), out)
	}
}

func TestScreen_AResizeStormLeavesAWholeScreen(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	url := startModel(t, &rehearsal.Script{Pace: rehearsal.Pace{Delay: time.Millisecond}, Replies: []rehearsal.Reply{{Text: strings.Repeat("some words, 猫 too. ", 200)}}})
	h.startPod("k", url)
	a := x.start(80, 24, nil, "attach", "k")
	a.awaits("k · idle")
	a.typed("Go.")
	a.keys("Enter")
	for i := range 60 {
		x.run("resize-window", "-t", a.name, "-x", fmt.Sprint(10+i*37%150), "-y", fmt.Sprint(3+i*13%50))
	}
	x.run("resize-window", "-t", a.name, "-x", "90", "-y", "20")
	a.until("is whole", func(text string) bool {
		lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
		return len(lines) == 20 && strings.HasPrefix(lines[19], "· k · idle") && strings.HasPrefix(lines[18], "› message the pod") && strings.Contains(text, "── 1 request")
	})
}

// An older pod speaks the base vocabulary, and this one badly: it says what
// nobody knows, breaks lines in pieces, and forgets to end what it began.
func TestScreen_DrivesABasePodThatMisbehaves(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	socket := filepath.Join(h.dir, "old")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 16)
	over := make(chan struct{})
	go func() {
		defer close(over)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			line := lines.Text()
			got <- line
			var answers []string
			switch {
			case strings.Contains(line, "get_history"):
				answers = []string{
					"this is no event", "", `{"event":"future","data":{"x":"` + "\\u001b[2J" + `"}}`,
					`{"event":"history","data":{"items":[{"type":"message","role":"user","content":[{"type":"text","text":"earlier"}]},{"type":"hologram","a":1}],`,
					`"greeting":{"pod_name":"rusty","cwd":"/src","provider":"anthropic","model":"old-model","scope_summary":"","tools":[]}}}`,
				}
				answers = append(answers[:3], answers[3]+answers[4])
			case strings.Contains(line, `"run"`):
				answers = []string{
					`{"event":"turn_start","data":{"turn":0}}`, `{"event":"text_delta","data":{"text":"Half an"}}`,
					`{"event":"tool_call_start","data":{"id":"c","name":"Bash"}}`, `{"event":"tool_result","data":{"id":"nobody","output":"orphan","is_error":false}}`,
					`{"event":"error","data":{"code":"already_running","message":"to everybody"}}`, `{"event":"turn_end","data":{"turn":0,"result":"odd"}}`,
					`{"event":"compact_start"}`, `{"event":"compact_done","data":{"new_session_id":"0192f0e8-4d84-7d6e-a000-000000000001"}}`,
					`{"event":"error","data":{"code":"internal","message":"Cancelled"}}`,
				}
			case strings.Contains(line, "shutdown"):
				fmt.Fprintln(conn, `{"event":"shutdown"}`)
				return
			}
			for _, a := range answers {
				for piece := range strings.SplitSeq(a, "i") { // in pieces
					if _, err := conn.Write([]byte(piece)); err != nil {
						return
					}
					a = a[len(piece):]
					if a != "" {
						conn.Write([]byte("i"))
						a = a[1:]
					}
				}
				conn.Write([]byte("\n"))
			}
		}
	}()
	t.Cleanup(func() { l.Close(); <-over })
	a := x.start(110, 30, nil, "attach", "--socket", socket, "--base")
	a.awaits("› earlier", "[hologram]", "· rusty · idle", "old-model", "base")
	a.typed("Hello, old one.")
	a.keys("Enter")
	text := a.awaits("› Hello, old one.", "✓ [compact] done (new session 0192f0e8)", "── cancelled", "rusty · idle", "orphan")
	if strings.Contains(text, "Half an") || strings.Contains(text, "Bash") {
		t.Errorf("blocks without a done event are still there:\n%s", text)
	}
	a.keys("C-d")
	a.awaits("The pod has ended.", "rusty · ended")
	a.keys("C-c")
	a.awaits("left with 0")
	for len(got) > 0 {
		if line := <-got; strings.Contains(line, "hello") {
			t.Errorf("--base said %s", line)
		}
	}
}

func TestScreen_PodiumAloneIsAPickerAndAnEndedPodIsContinuedThere(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Text: "A fine day."}, {Text: "Still fine."}}})
	config := fmt.Sprintf("[model]\nscheme = \"openai-chat\"\nmodel_id = \"m\"\nbase_url = %q\n", url)
	if err := os.WriteFile(filepath.Join(h.dir, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	h.startPod("lonely", url)
	h.startPod("weather", url)
	a := x.start(100, 30, nil)
	a.awaits("lonely", "weather", "start a new pod here", "idle")
	a.typed("weath")
	a.until("filters", func(text string) bool { return !strings.Contains(text, "lonely") })
	a.keys("Enter")
	a.awaits("· weather · idle", "message the pod")
	a.typed("How is it?")
	a.keys("Enter")
	a.awaits("A fine day.", "weather · idle")
	if err := h.command("stop", "weather").Run(); err != nil {
		t.Fatal(err)
	}
	a.awaits("The pod has ended. podium run weather continues its session.")
	a.keys("Enter")
	a.awaits("› How is it?", "A fine day.", "· weather · idle")
	a.typed("And now?")
	a.keys("Enter")
	a.awaits("Still fine.", "weather · idle")
	a.keys("C-d") // the pod was started detached: end it
	a.awaits("The pod has ended.")
}

func TestScreen_ADumbTerminalGetsLines(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Text: "Plain words."}}})
	h.startPod("k", url)
	a := x.start(80, 24, []string{"TERM=dumb"}, "attach", "k")
	a.awaits("attached to k; /quit leaves, the pod lives on")
	a.typed("Say it.")
	a.keys("Enter")
	a.awaits("Plain words.")
	a.typed("/quit")
	a.keys("Enter")
	a.awaits("left with 0")
}

func TestScreen_ADumbTerminalGetsAListForThePicker(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	h.startPod("k", startModel(t, &rehearsal.Script{}))
	x.start(120, 24, []string{"TERM=dumb"}).awaits("NAME", "k ", "idle", "podium attach NAME shows a pod", "left with 0")
}

func TestScreen_NoColorDrawsWithoutColour(t *testing.T) {
	h := newHome(t)
	x := newTerminals(t, h)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Text: "Some `code` and **weight**."}}})
	h.startPod("k", url)
	for _, c := range []struct {
		env     []string
		colours bool
	}{{[]string{"NO_COLOR=1"}, false}, {[]string{"COLORTERM=truecolor"}, true}} {
		a := x.start(80, 24, c.env, "attach", "k")
		a.awaits("k · idle")
		raw := x.run("capture-pane", "-e", "-p", "-t", a.name)
		if got := strings.Contains(raw, "\x1b[38;"); got != c.colours {
			t.Errorf("%v: colours are there: %v\n%q", c.env, got, raw)
		}
	}
}
