package builtin_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"podium.local/tool"
	"podium.local/tool/builtin"
)

func newShell(t testing.TB) *bench {
	return newBenchWith(t, builtin.Options{AllowBash: true, Pod: t.Name(), SecretEnv: []string{"MY_MODEL_KEY"}})
}

func TestBash_GivesOutputInOrderAndExitCode(t *testing.T) {
	b := newShell(t)
	for _, c := range []struct {
		command string
		isError bool
		summary string
		content string
	}{
		{"echo out; echo err >&2; echo out", false, "Exit code 0", "out\nerr\nout\n"},
		{"echo x; exit 3", true, "Exit code 3", "x\n"},
		{"true", false, "Exit code 0; no output", ""},
		{"false", true, "Exit code 1; no output", ""},
		{"no-such-command-here 2>/dev/null", true, "Exit code 127; no output", ""},
		{"kill -KILL $$", true, "Killed by signal: killed; no output", ""},
		{"cat; echo end", false, "Exit code 0", "end\n"},
		{"pwd", false, "Exit code 0", b.in + "\n"},
		{`printf 'a\377b\342\202'`, false, "Exit code 0", "a\uFFFDb\uFFFD"},
		{"tty", true, "Exit code 1", "not a tty\n"},
		{": </dev/tty", true, "Exit code 1", ""},
	} {
		res := b.call("Bash", args{"command": c.command, "description": "a test"})
		if c.content == "" && strings.Contains(c.command, "/dev/tty") {
			res.Content = "" // the shell's own words
		}
		if res.IsError != c.isError || res.Summary != c.summary || res.Content != c.content {
			t.Errorf("%s: %v %q %q, want %v %q %q", c.command, res.IsError, res.Summary, res.Content, c.isError, c.summary, c.content)
		}
	}
}

func TestBash_KeepsKeysToItself(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_AUTH_TOKEN", "PODIUM_STUDIO_AUTH_TOKEN", "MY_MODEL_KEY"} {
		t.Setenv(name, "sk-secret")
	}
	t.Setenv("PODIUM_POD", "parent")
	t.Setenv("OTHER", "stays")
	b := newShell(t)
	res := b.call("Bash", args{"command": "env"})
	if strings.Contains(res.Content, "sk-secret") {
		t.Errorf("a key is visible:\n%s", res.Content)
	}
	for _, want := range []string{"OTHER=stays\n", "PODIUM_POD=" + t.Name() + "\n", "PWD=" + b.in + "\n"} {
		if !strings.Contains(res.Content, want) {
			t.Errorf("environment lacks %q", want)
		}
	}
}

func TestBash_SaysWhatIsWrong(t *testing.T) {
	b := newShell(t)
	b.refused(b.call("Bash", args{"command": " \n"}), "command must not be empty")
	b.refused(b.call("Bash", args{"command": "a\x00b"}), "command must not contain a NUL character")
	b.refused(b.call("Bash", args{"command": "a", "timeout_ms": 600001}), `argument "timeout_ms" must be at most 600000, got 600001`)
	b.refused(b.call("Bash", args{"command": "a", "timeout_ms": 0}), `argument "timeout_ms" must be at least 1, got 0`)
	b.refused(b.call("Bash", args{"cmd": "a"}), `unknown argument "cmd"; Bash takes command, description, timeout_ms`)
	b.must(os.Remove(b.in))
	b.failed(b.call("Bash", args{"command": "true"}), "run command in "+b.in+": no such file or directory")
}

func TestBash_LongOutputKeepsBothEnds(t *testing.T) {
	b := newBenchWith(t, builtin.Options{AllowBash: true, Caps: tool.Caps{PerTool: map[string]int{"Bash": 1000}}})
	for _, command := range []string{
		"seq 1 100000",
		"printf begin; head -c 3000000 /dev/zero | tr '\\0' x; printf end",
		"for i in $(seq 1 300); do printf éö; done",
		"for i in $(seq 1 400); do printf 'a\\377'; done",
	} {
		res, cut := b.tools.Run(t.Context(), "Bash", []byte(`{"command":"`+strings.ReplaceAll(command, `\`, `\\`)+`"}`))
		if res.IsError || !strings.Contains(res.Content, " bytes dropped from the middle]\n\n") {
			t.Errorf("%s: %q", command, res.Text())
		}
		if len(res.Content) > 1000 || !utf8.ValidString(res.Content) || cut == nil || cut.To != len(res.Content) {
			t.Errorf("%s: %d bytes, %+v", command, len(res.Content), cut)
		}
		if command == "seq 1 100000" && (!strings.HasPrefix(res.Content, "1\n2\n3\n") || !strings.HasSuffix(res.Content, "99999\n100000\n")) {
			t.Errorf("ends are missing: %q", res.Content)
		}
	}
	for n, want := range map[string]string{"1000": "", "1001": "[truncated: "} {
		res := b.call("Bash", args{"command": "head -c " + n + " /dev/zero | tr '\\0' x"})
		if strings.Contains(res.Content, "[truncated: ") != (want != "") {
			t.Errorf("%s bytes with a cap of 1000: %q", n, res.Content)
		}
	}
}

// leash is a FIFO that a command holds open: reading it ends only when every
// process that has it is gone, and never before.
type leash struct {
	*bench
	path string
	end  *os.File
	read *bufio.Reader
}

func newLeash(b *bench) *leash {
	b.t.Helper()
	l := &leash{bench: b, path: b.in + "/leash"}
	b.must(unix.Mkfifo(l.path, 0o600))
	// Not waiting for a writer, then waiting for what it writes.
	fd, err := unix.Open(l.path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	b.must(err)
	l.end = os.NewFile(uintptr(fd), l.path)
	b.t.Cleanup(func() { l.end.Close() })
	l.read = bufio.NewReader(l.end)
	return l
}

// ready waits until the command has written a line into the leash.
func (l *leash) ready() {
	l.t.Helper()
	for {
		line, err := l.read.ReadString('\n')
		if line == "ready\n" {
			return
		}
		// At first nobody has it open.
		if !errors.Is(err, io.EOF) {
			l.t.Fatalf("%q, %v", line, err)
		}
	}
}

// gone says whether nobody holds the leash any more, without waiting.
func (l *leash) gone() bool {
	l.t.Helper()
	raw, err := l.end.SyscallConn()
	l.must(err)
	var buf [64]byte
	for {
		n, readErr := 0, error(nil)
		l.must(raw.Control(func(fd uintptr) { n, readErr = unix.Read(int(fd), buf[:]) }))
		switch {
		case errors.Is(readErr, unix.EAGAIN):
			return false
		case readErr != nil:
			l.t.Fatal(readErr)
		case n == 0:
			return true
		}
	}
}

// holdFast is a shell script that takes the leash in a child of a child.
const holdFast = `bash -c 'sleep 1000 & echo ready >&9; wait' & wait`

func TestBash_CancelEndsAllItStarted(t *testing.T) {
	for name, script := range map[string]string{
		"grandchild":         holdFast,
		"ignores SIGTERM":    `trap "" TERM; sleep 1000 & echo ready >&9; while :; do wait; done`,
		"holds no output":    `exec >/dev/null 2>&1; ` + holdFast,
		"stopped":            `(kill -STOP $BASHPID) & echo ready >&9; wait`,
		"closed what it got": `bash -c 'exec >&- 2>&- <&-; sleep 1000 & echo ready >&9; wait' & wait`,
		"keeps writing":      `(while echo x; do :; done) & echo ready >&9; wait`,
	} {
		t.Run(name, func(t *testing.T) { cancelEndsAll(t, script) })
	}
}

// cancelEndsAll runs a script that holds the leash as descriptor 9 and says
// when it is ready, and cancels it.
func cancelEndsAll(t *testing.T, script string) {
	l := newLeash(newShell(t))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan tool.Result)
	go func() { done <- l.callContext(ctx, "Bash", args{"command": "exec 9>leash; " + script}) }()
	l.ready()
	if l.gone() {
		t.Fatal("nobody holds the leash")
	}
	cancel()
	res := <-done
	if !res.IsError || !strings.HasPrefix(res.Summary, "Cancelled; the command and all it started were ended") {
		t.Errorf("result %q", res.Summary)
	}
	if !l.gone() {
		t.Error("something it started still lives")
	}
}

func TestBash_TimeoutEndsAllItStarted(t *testing.T) {
	l := newLeash(newShell(t))
	res := l.call("Bash", args{"command": "exec 9>leash; echo before; " + holdFast, "timeout_ms": 1500})
	if !res.IsError || res.Summary != "Timed out after 1500 ms; the command and all it started were ended" || res.Content != "before\n" {
		t.Errorf("result %q", res.Text())
	}
	if !l.gone() {
		t.Error("something it started still lives")
	}
}

func TestBash_BackgroundEndsWithTheCommand(t *testing.T) {
	l := newLeash(newShell(t))
	res := l.call("Bash", args{"command": "exec 9>leash; sleep 1000 & echo started"})
	if res.IsError || res.Summary != "Exit code 0; what it left in the background was ended" || res.Content != "started\n" {
		t.Errorf("result %q", res.Text())
	}
	if !l.gone() {
		t.Error("the background process still lives")
	}
}
