package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/rehearsal"
)

// dying puts a socket in the place of a pod's that takes connections and hangs
// up, as that of a killed process does until it is cleared away, n times.
func dying(t *testing.T, path string, n int) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer l.Close()
		for range n {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		<-gone
	})
}

func TestRun_PassesTheSocketOfAPodThatWasJustKilled(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Repeat: true, Replies: []rehearsal.Reply{{Text: "Here."}}})
	for connections := range 6 {
		name := string(rune('a' + connections))
		dying(t, h.socket(name), connections)
		out, err := h.command("run", "-p", "hi", "--provider", "openai-chat", "--model", "m", "--base-url", url, name).CombinedOutput()
		if err != nil || !strings.Contains(string(out), "Here.") {
			t.Errorf("%d connections: %v: %s", connections, err, out)
		}
	}
}

func TestSend_SaysOfAPodThatWasJustKilledThatItIsNotAlive(t *testing.T) {
	h := newHome(t)
	dying(t, h.socket("k"), 3)
	out, err := h.command("send", "k", "hi").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no such pod is alive") {
		t.Errorf("%v: %s", err, out)
	}
}
