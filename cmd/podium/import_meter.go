package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"podium.local/transcript"
)

// meter shows on stderr how far an import is, how fast it goes and how long it
// will take. On a terminal it is one line that changes, else a line now and
// then.
type meter struct {
	app      *app
	terminal bool
	every    time.Duration
	start    time.Time
	shown    time.Time
	drawn    bool
}

func newMeter(a *app) *meter {
	m := &meter{app: a, every: 10 * time.Second, start: time.Now()}
	if f, ok := a.err.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		m.terminal, m.every = true, 200*time.Millisecond
	}
	m.shown = m.start
	return m
}

func (m *meter) update(p transcript.Progress) {
	now := time.Now()
	if now.Sub(m.shown) < m.every {
		return
	}
	m.shown = now
	text := progressText(p, now.Sub(m.start))
	if m.terminal {
		m.drawn = true
		fmt.Fprintf(m.app.err, "\r\x1b[K%s", text)
		return
	}
	fmt.Fprintf(m.app.err, "podium: %s\n", text)
}

// clear takes the line away.
func (m *meter) clear() {
	if m.drawn {
		fmt.Fprint(m.app.err, "\r\x1b[K")
	}
}

// progressText is the state of an import in one line.
func progressText(p transcript.Progress, took time.Duration) string {
	text := fmt.Sprintf("%d of %d files, %s of %s", p.Files, p.FilesTotal, byteCount(p.Bytes), byteCount(p.BytesTotal))
	if seconds := took.Seconds(); seconds > 0 && p.Bytes > 0 {
		rate := float64(p.Bytes) / seconds
		text += fmt.Sprintf(", %s/s", byteCount(int64(rate)))
		if rest := p.BytesTotal - p.Bytes; rest > 0 && p.Bytes >= p.BytesTotal/100 { // before that nothing can be said
			text += fmt.Sprintf(", about %s left", (time.Duration(float64(rest)/rate) * time.Second).Round(time.Second))
		}
	}
	return text
}
