package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/protocol"
	"podium.local/rehearsal"
)

// The pod that a prompt goes to is somebody else's and ends with that one's
// prompt before it has taken this one.
func TestRun_APromptRefusedByAnEndingPodStartsItAgain(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	if err := os.MkdirAll(filepath.Dir(h.socket("k")), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", h.socket("k"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	// refuse answers as an ending pod does, once the first prompt's pod has come
	// and gone.
	refuse := func(conn net.Conn) {
		defer conn.Close()
		for lines := bufio.NewScanner(conn); lines.Scan(); {
			m, err := protocol.DecodeMethod(lines.Bytes())
			if err != nil {
				t.Error(err)
				return
			}
			text := "invalid method: hello"
			if _, ok := m.Params.(protocol.Run); ok {
				_ = l.Close()
				if text, code := output(t, h.command("run", "-p", "One.", "--provider", "openai-chat", "--model", "m", "--base-url", url, "k")); code != 0 {
					t.Errorf("the first prompt: exit %d: %s", code, text)
				}
				text = "refused: the pod is shutting down"
			}
			answer, err := protocol.Event{Data: protocol.Error{Code: protocol.CodeInternal, Message: text}, RequestID: m.RequestID}.Append(nil)
			if err != nil {
				t.Error(err)
				return
			}
			fmt.Fprintf(conn, "%s\n", answer)
			if text != "invalid method: hello" {
				return
			}
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			refuse(conn)
		}
	}()
	text, code := output(t, h.command("run", "-p", "Two.", "k"))
	_ = l.Close()
	<-done
	if code != 0 || !strings.Contains(text, "Here.") || !strings.Contains(text, "trying again") {
		t.Fatalf("exit %d: %s", code, text)
	}
	if text, _ := output(t, h.command("history", "k")); strings.Count(text, "One.") != 1 || strings.Count(text, "Two.") != 1 {
		t.Errorf("the session: %s", text)
	}
}
