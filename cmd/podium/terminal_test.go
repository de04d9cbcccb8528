package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// terminalHost is a tmux server of a test's own, in which programs run on real
// pseudo terminals.
type terminalHost struct {
	t      testing.TB
	h      *home
	socket string
	n      int
}

// newTerminals starts one. The machine must have tmux.
func newTerminals(t testing.TB, h *home) *terminalHost {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatal("these tests need tmux: apt-get install tmux")
	}
	x := &terminalHost{t: t, h: h, socket: filepath.Join(h.dir, "tmux")}
	t.Cleanup(func() { _ = x.cmd("kill-server").Run() })
	return x
}

func (x *terminalHost) cmd(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-u", "-S", x.socket, "-f", os.DevNull}, args...)...)
	cmd.Env = append(without(without(os.Environ(), "TMUX"), "LC_"), "LANG=C.UTF-8")
	return cmd
}

func (x *terminalHost) run(args ...string) string {
	x.t.Helper()
	out, err := x.cmd(args...).CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %.200q: %v: %s", args, err, out)
	}
	return string(out)
}

// tty is one terminal with one program in it.
type tty struct {
	x    *terminalHost
	name string
}

// start runs podium with args on a terminal of the given size; env comes on
// top. The terminal stays after the program has ended.
func (x *terminalHost) start(width, height int, env []string, args ...string) *tty {
	x.t.Helper()
	x.n++
	p := &tty{x: x, name: fmt.Sprint("t", x.n)}
	return x.show(p, width, height, env, x.h.command(args...))
}

// show runs a program in a terminal.
func (x *terminalHost) show(p *tty, width, height int, env []string, program *exec.Cmd) *tty {
	x.t.Helper()
	words := []string{"env", "-u", "TMUX", "-u", "VISUAL", "-u", "EDITOR", asPodium + "=1", "PODIUM_HOME=" + x.h.dir, "LANG=C.UTF-8"}
	words = append(words, env...)
	for _, w := range program.Args {
		words = append(words, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
	}
	x.run("new-session", "-d", "-s", p.name, "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", x.h.work, strings.Join(words, " ")+"; echo left with $?; exec cat")
	return p
}

func (p *tty) keys(names ...string) {
	p.x.t.Helper()
	p.x.run(append([]string{"send-keys", "-t", p.name}, names...)...)
}

func (p *tty) typed(text string) {
	p.x.t.Helper()
	p.x.run("send-keys", "-t", p.name, "-l", text)
}

// text is what is on the screen.
func (p *tty) text() string {
	p.x.t.Helper()
	return p.x.run("capture-pane", "-p", "-t", p.name)
}

// patience bounds the wait for a screen on a slow machine.
const patience = 60 * time.Second

// awaits waits until the screen holds all parts.
func (p *tty) awaits(parts ...string) string {
	p.x.t.Helper()
	return p.until(fmt.Sprintf("holds %q", parts), func(text string) bool {
		for _, part := range parts {
			if !strings.Contains(text, part) {
				return false
			}
		}
		return true
	})
}

// until waits until the screen is as wanted.
func (p *tty) until(what string, ok func(text string) bool) string {
	p.x.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		text := p.text()
		if ok(text) {
			return text
		}
		if time.Now().After(end) {
			p.x.t.Fatalf("the screen never %s:\n%s", what, text)
		}
	}
}

// line is the first line of a screen that holds part.
func lineWith(text, part string) string {
	for l := range strings.SplitSeq(text, "\n") {
		if strings.Contains(l, part) {
			return strings.TrimRight(l, " ")
		}
	}
	return ""
}
