package tui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"podium.local/tui"
)

func noPods(context.Context) ([]tui.Entry, error) { return nil, nil }

// sessions is a store of n sessions, every tenth of which is flaky; a look
// examines 100 of them.
func sessions(n int, asked *[]string) tui.Searcher {
	return func(_ context.Context, word, next string) (tui.Found, error) {
		*asked = append(*asked, word+"@"+next)
		from := 0
		fmt.Sscan(next, &from)
		f := tui.Found{Examined: min(100, n-from)}
		for i := from; i < from+f.Examined; i++ {
			name := fmt.Sprintf("session %d", i)
			if i%10 == 9 {
				name = fmt.Sprintf("flaky %d", i)
			}
			if strings.Contains(name, word) {
				f.Entries = append(f.Entries, tui.Entry{Session: fmt.Sprint("id", i), Title: name, State: "completed", At: fixed().Add(-time.Duration(i) * time.Minute)})
			}
		}
		if to := from + f.Examined; to < n {
			f.Next = fmt.Sprint(to)
		}
		return f, nil
	}
}

func (p *picker) text() string { return plainScreen(p.m.View().Content) }

func (p *picker) pause() {
	time.Sleep(200 * time.Millisecond)
	p.settle()
}

func TestPickerSearch_AsksTheStoreAndGoesOnAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		p := openPicker(t, noPods, sessions(250, &asked))
		p.press("flaky")
		p.pause()
		// How far it looked stands there wherever one is.
		if text := p.text(); !strings.Contains(text, "looked at the newest 100 sessions; End goes on") {
			t.Errorf("at the beginning:\n%s", text)
		}
		p.press("end")
		p.press("end")
		if text := p.text(); !strings.Contains(text, "all of 250 sessions") || !strings.Contains(text, "flaky 249") {
			t.Errorf("the end of the list:\n%s", text)
		}
		if got := strings.Join(asked, " "); got != "@ flaky@ flaky@100 flaky@200" {
			t.Errorf("asked %s", got)
		}
		p.press("enter")
		if choice, ok := p.m.Choice(); !ok || choice.Entry.Title == "" {
			t.Errorf("chose %+v", choice)
		}
	})
}

func TestPickerSearch_SaysHowFarItLooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		p := openPicker(t, noPods, sessions(250, &asked))
		p.press("249")
		p.pause()
		if text := p.text(); !strings.Contains(text, "Nothing matches") || !strings.Contains(text, "looked at the newest 100 sessions; End goes on") {
			t.Errorf("after the first look:\n%s", text)
		}
		p.press("end")
		p.press("end")
		if text := p.text(); !strings.Contains(text, "flaky 249") {
			t.Errorf("after the last:\n%s", text)
		}
	})
}

func TestPicker_EnterOnNothingStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, func(context.Context) ([]tui.Entry, error) { return entries(), nil })
		p.press("zzzz", "enter")
		if choice, ok := p.m.Choice(); ok || p.quit {
			t.Errorf("chose %+v", choice)
		}
	})
}

func TestPicker_ANameComesBeforeOtherMatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, func(context.Context) ([]tui.Entry, error) {
			return []tui.Entry{
				{Pod: "comp", Live: true, State: "running", Last: "a line", At: fixed()},
				{Pod: "berlin", Live: true, State: "running", At: fixed()},
				{Pod: "linter", Live: true, State: "running", At: fixed()},
				{Pod: "lin", State: "ended", At: fixed()},
			}, nil
		})
		p.press("lin")
		at := -1
		for _, name := range []string{"lin  ", "linter", "berlin", "comp"} {
			next := strings.Index(p.text(), name)
			if next < at || next < 0 {
				t.Errorf("%q is out of order:\n%s", name, p.text())
			}
			at = next
		}
		p.press("enter")
		if choice, _ := p.m.Choice(); choice.Entry.Pod != "lin" {
			t.Errorf("chose %q", choice.Entry.Pod)
		}
	})
}

func TestPickerSearch_AFailureIsSaidBesideThePods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, func(context.Context) ([]tui.Entry, error) { return entries(), nil },
			func(context.Context, string, string) (tui.Found, error) { return tui.Found{}, errors.New("no keyring") })
		if text := p.text(); !strings.Contains(text, "implementer") || !strings.Contains(text, "the older sessions cannot be searched: no keyring") {
			t.Error(text)
		}
	})
}

// imported are sessions of other programs, one that can be continued and one
// that cannot.
func imported(context.Context, string, string) (tui.Found, error) {
	return tui.Found{Examined: 3, Entries: []tui.Entry{
		{Session: "one", Title: "migrate the billing", State: "completed", Origin: "Claude Code", At: fixed(),
			Note: "Imported from Claude Code. Enter again continues it as a new pod in /src/billing; podium history 8e1e62da shows it."},
		{Session: "two", Title: "old billing of somebody", State: "completed", Origin: "lionagi", At: fixed().Add(-time.Hour), Note: "This store is only read.", ReadOnly: true},
		{Session: "three", Title: "mine", State: "completed", At: fixed()},
	}}, nil
}

func TestPickerSearch_SessionsOfOtherProgramsAreFoundByAFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, noPods, imported)
		if text := p.text(); strings.Contains(text, "billing") || !strings.Contains(text, "mine") {
			t.Errorf("without a filter:\n%s", text)
		}
		p.press("claude")
		p.pause()
		if text := p.text(); !strings.Contains(text, "migrate the billing") || !strings.Contains(text, "one · Claude Code") || strings.Contains(text, "mine") {
			t.Errorf("by their program:\n%s", text)
		}
	})
}

func TestPicker_SaysWhatHappensToASessionOfAnotherProgramFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, noPods, imported)
		p.press("billing")
		p.pause()
		p.press("enter")
		if text := p.text(); p.quit || !strings.Contains(text, "Enter again continues it as a new pod") || !strings.Contains(text, "podium history 8e1e62da") {
			t.Fatalf("the first Enter:\n%s", text)
		}
		// Going elsewhere takes it back.
		p.press("down", "up")
		if text := p.text(); strings.Contains(text, "Enter again") {
			t.Errorf("after moving:\n%s", text)
		}
		p.press("down", "enter", "enter")
		if text := p.text(); p.quit || !strings.Contains(text, "This store is only read.") {
			t.Errorf("what cannot be continued:\n%s", text)
		}
		p.press("up", "enter", "enter")
		if c, ok := p.m.Choice(); !p.quit || !ok || c.Entry.Session != "one" {
			t.Errorf("the second Enter chose %+v", c)
		}
	})
}

func TestPicker_SaysWhereSessionsAreWhenThereIsNoPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openPicker(t, noPods, func(ctx context.Context, word, next string) (tui.Found, error) {
			f, err := imported(ctx, word, next)
			f.Entries = f.Entries[:1]
			return f, err
		})
		if text := p.text(); !strings.Contains(text, "No pod yet. Type to find a session of another program.") {
			t.Errorf("nothing but imported sessions:\n%s", text)
		}
	})
}
