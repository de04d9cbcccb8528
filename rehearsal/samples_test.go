package rehearsal_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"podium.local/rehearsal"
)

// sample writes the sample repository into a folder of the test's.
func sample(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, rehearsal.SampleRepo()); err != nil {
		t.Fatal(err)
	}
	return dir
}

// goTest runs the sample's own tests.
func goTest(t *testing.T, dir string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "test", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "GOTOOLCHAIN=local", "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// demoActors are the actors of the demo's script with the wire each is played on.
var demoActors = []struct {
	name, model string
	wire        rehearsal.Wire
}{
	{"implementer", "claude-sonnet-4-6", rehearsal.WireAnthropic},
	{"reviewer", "gpt-5-mini", rehearsal.WireResponses},
	{"librarian", "heron-coder-9b", rehearsal.WireChat},
}

func TestDemo_ThreeActorsDoRealWorkInTheSampleRepository(t *testing.T) {
	script, err := rehearsal.DemoScript()
	if err != nil {
		t.Fatal(err)
	}
	dir := sample(t)
	if out, err := goTest(t, dir); err == nil || !strings.Contains(out, "FAIL: TestCart_TotalCountsEveryPiece") {
		t.Fatalf("the sample has no bug to fix: %v\n%s", err, out)
	}
	_, url := start(t, *script, rehearsal.Options{Rush: true})
	for i, a := range demoActors {
		if script.Actors[i].Name != a.name || script.Actors[i].Model != a.model {
			t.Errorf("actor %d is %+v, want %s played by %s", i, script.Actors[i], a.name, a.model)
		}
		agent := newAgent(a.wire, url, a.model, "You work alone.\nWorking directory: "+dir+"\n")
		for range 2 {
			// The second time everything was done before: an agent asked again works
			// again, and tools that then fail do not stop it.
			agent.user("Please do your work.")
			steps := 0
			for done := false; !done; steps++ {
				for _, line := range agent.ask(t) {
					if strings.HasPrefix(line, "!") {
						t.Fatalf("%s, step %d: %s", a.name, steps+1, line)
					}
				}
				done = len(agent.pending) == 0
				for _, c := range agent.pending {
					agent.result(c.id, work(t, dir, c))
				}
				agent.pending = nil
			}
			if steps != 4 {
				t.Errorf("%s took %d steps, want 4", a.name, steps)
			}
		}
	}
	if out, err := goTest(t, dir); err != nil {
		t.Errorf("the fix does not hold: %v\n%s", err, out)
	}
	for name, want := range map[string]string{"REVIEW.md": "WELCOME150", "NOTES.md": "shop/money.go"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v, %q", name, err, b)
		}
	}
}

// work does what the demo's tools do, as far as the script goes. Arguments
// that no tool would take fail the test.
func work(t *testing.T, dir string, c call) string {
	t.Helper()
	var args struct {
		FilePath   string `json:"file_path"`
		OldString  string `json:"old_string"`
		NewString  string `json:"new_string"`
		Content    string
		Pattern    string
		Path, Glob string
		OutputMode string `json:"output_mode"`
		Offset     int
		Limit      int
	}
	d := json.NewDecoder(strings.NewReader(c.arguments))
	d.DisallowUnknownFields()
	if err := d.Decode(&args); err != nil {
		t.Fatalf("%s %s: %v", c.name, c.arguments, err)
	}
	where := args.FilePath + args.Path
	if !strings.HasPrefix(where, dir) {
		t.Fatalf("%s %s: not below %s", c.name, c.arguments, dir)
	}
	switch c.name {
	case "Read":
		b, err := os.ReadFile(args.FilePath)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(b), "\n")[args.Offset:]
		if args.Limit > 0 {
			lines = lines[:args.Limit]
			if !strings.Contains(strings.Join(lines, "\n"), "func (c *Cart) Total()") {
				t.Errorf("lines %d to %d do not show the function:\n%s", args.Offset, args.Offset+args.Limit, strings.Join(lines, "\n"))
			}
		}
		return fmt.Sprintf("Read %d line(s) from %s\n%s", len(lines), args.FilePath, strings.Join(lines, "\n"))
	case "Edit":
		b, err := os.ReadFile(args.FilePath)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), args.OldString); n != 1 {
			return fmt.Sprintf("old_string occurs %d times", n)
		}
		write(t, args.FilePath, strings.Replace(string(b), args.OldString, args.NewString, 1))
		return "Edited " + args.FilePath
	case "Write":
		write(t, args.FilePath, args.Content)
		return "Created " + args.FilePath
	case "Glob":
		return found(t, dir, func(path, _ string) bool { return strings.HasSuffix(path, ".go") })
	case "Grep":
		re := regexp.MustCompile(args.Pattern)
		return found(t, dir, func(_, text string) bool { return re.MatchString(text) })
	default:
		t.Fatalf("the demo calls a tool %q", c.name)
		return ""
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// found lists the files that match, at least one.
func found(t *testing.T, dir string, matches func(path, text string) bool) string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && matches(path, string(b)) {
			out = append(out, path)
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("found %d files: %v", len(out), err)
	}
	return strings.Join(out, "\n")
}

// TestDemo_LastsLongEnoughToWatchAndNotLonger adds up the pauses of the script:
// the three work side by side, so each counts alone.
func TestDemo_LastsLongEnoughToWatchAndNotLonger(t *testing.T) {
	script, err := rehearsal.DemoScript()
	if err != nil {
		t.Fatal(err)
	}
	_, url := start(t, *script, rehearsal.Options{Rush: true, Vars: map[string]string{"cwd": "/home/someone/podium-demo"}})
	for _, a := range demoActors {
		agent := newAgent(a.wire, url, a.model, "")
		agent.user("Please do your work.")
		var lasts time.Duration
		for done := false; !done; {
			before := len(agent.history)
			agent.ask(t)
			lasts += script.Pace.First + time.Duration(deltas(agent.history[before:]))*script.Pace.Delay
			done = len(agent.pending) == 0
			for _, c := range agent.pending {
				agent.result(c.id, "ok")
			}
			agent.pending = nil
		}
		t.Logf("%s lasts %s", a.name, lasts)
		if lasts < 3*time.Second || lasts > 10*time.Second {
			t.Errorf("%s lasts %s, want 3 s to 10 s", a.name, lasts)
		}
	}
}

// deltas is a low estimate of how many deltas an answer had: one a word, one
// for 16 characters of arguments.
func deltas(answer []any) (n int) {
	b, _ := json.Marshal(answer)
	return len(strings.Fields(string(b))) + len(b)/32
}

func TestSampleRepo_IsFormattedAndSaysHowToWorkInIt(t *testing.T) {
	repo := rehearsal.SampleRepo()
	for _, name := range []string{"AGENTS.md", "README.md", "go.mod", "shop/cart.go", "shop/cart_test.go"} {
		if b, err := fs.ReadFile(repo, name); err != nil || len(b) < 30 {
			t.Errorf("%s: %v, %d bytes", name, err, len(b))
		}
	}
	dir := sample(t)
	out, err := exec.CommandContext(t.Context(), "gofmt", "-l", dir).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("gofmt: %v\n%s", err, out)
	}
}
