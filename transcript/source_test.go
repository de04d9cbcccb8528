package transcript_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"podium.local/session"
	"podium.local/transcript"
)

func TestReadSource_GivesTheSameBytesOrSaysThatTheyAreGone(t *testing.T) {
	long := line(said(sid, 2, strings.Repeat("long ", 300_000)))
	first := line(said(sid, 1, "hi"))
	big := fields{"type": "hologram", "sessionId": sid, "timestamp": clockAt(3), "beam": strings.Repeat("x", 2<<20)}
	_, entries, r := claude(t, first, long, big)
	payload, err := entries[2].Decode()
	if err != nil || r.Raw != 1 {
		t.Fatal(err, r.Raw)
	}
	src := payload.(session.Foreign).Source
	if src == nil || src.Offset != int64(len(first)+len(long)) {
		t.Fatalf("%+v", src)
	}
	var out strings.Builder
	if err := transcript.ReadSource(t.Context(), *src, &out); err != nil || out.String()+"\n" != line(big) {
		t.Fatalf("%d bytes, %v", out.Len(), err)
	}
	text, err := os.ReadFile(src.File)
	if err != nil {
		t.Fatal(err)
	}
	text[src.Offset+100] ^= 1
	for name, change := range map[string]func() error{
		"other bytes": func() error { return os.WriteFile(src.File, text, 0o600) },
		"too short":   func() error { return os.Truncate(src.File, src.Offset+10) },
		"no file":     func() error { return os.Remove(src.File) },
	} {
		if err := change(); err != nil && name != "too short" {
			t.Fatal(err)
		}
		out.Reset()
		if err := transcript.ReadSource(t.Context(), *src, &out); !errors.Is(err, transcript.ErrSourceGone) || out.Len() > 0 {
			t.Errorf("%s: %d bytes, %v", name, out.Len(), err)
		}
	}
}
