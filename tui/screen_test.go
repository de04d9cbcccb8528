package tui_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"podium.local/client"
	"podium.local/protocol"
	"podium.local/tui"
)

const (
	sessionID = "0192f0e8-4d84-7d6e-a000-c61b7f02d9e4"
	nextID    = "0192f0e9-1111-7d6e-a000-000000000002"
	us        = "podium/test"
)

// pod is a pod that says what a test wants and remembers what it was told.
type pod struct {
	stream chan any // protocol.Event or error
	mu     sync.Mutex
	calls  []protocol.Method
	// answer makes the answer to a call; nil accepts everything.
	answer func(protocol.Method) (protocol.Event, error)
	closed bool
}

func newPod() *pod { return &pod{stream: make(chan any, 200_000)} }

func (p *pod) Recv(ctx context.Context) (protocol.Event, error) {
	select {
	case v := <-p.stream:
		if err, ok := v.(error); ok {
			return protocol.Event{}, err
		}
		return v.(protocol.Event), nil
	case <-ctx.Done():
		return protocol.Event{}, ctx.Err()
	}
}

func (p *pod) Call(_ context.Context, m protocol.Method) (protocol.Event, error) {
	p.mu.Lock()
	p.calls = append(p.calls, m)
	n := len(p.calls)
	p.mu.Unlock()
	if p.answer != nil {
		return p.answer(m)
	}
	id := fmt.Sprintf("e-%d", n)
	return protocol.Event{Data: protocol.Accepted{Method: m.Params.MethodName(), EntryID: &id}}, nil
}

func (p *pod) Send(_ context.Context, m protocol.Method) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, m)
	return nil
}

func (p *pod) Close() { p.closed = true }

// told are the methods that the pod got, and forgets them.
func (p *pod) told() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, m := range p.calls {
		word := m.Params.MethodName()
		if r, ok := m.Params.(protocol.Run); ok {
			word += " " + r.Input
		}
		out = append(out, word)
	}
	p.calls = nil
	return out
}

// screen is a model with a pod, as a program would drive it, in a bubble of
// its own time.
type screen struct {
	t    *testing.T
	m    *tui.Model
	pod  *pod
	msgs chan tea.Msg
	quit bool
	seen []tea.Msg
}

// open makes a screen; it must run in a synctest bubble.
func open(t *testing.T, change ...func(*tui.Options)) *screen {
	t.Helper()
	p := newPod()
	o := tui.Options{Name: "shop", Model: "claude-sonnet-5", Client: us, Continue: "podium run shop", Dir: "/src/shop",
		Connect: func(context.Context) (tui.Pod, error) { return p, nil }}
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &screen{t: t, m: tui.NewModel(ctx, o), pod: p, msgs: make(chan tea.Msg, 1000)}
	// The last tick and the end of words that pass are still on their way.
	t.Cleanup(func() { cancel(); s.m.Close(); time.Sleep(5 * time.Second) })
	s.start(s.m.Init())
	s.settle()
	return s
}

func (s *screen) start(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	go func() {
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			for _, c := range msg {
				s.start(c)
			}
		default:
			// A sequence has no exported type.
			if v := reflect.ValueOf(msg); v.Kind() == reflect.Slice && v.Type().Elem() == reflect.TypeFor[tea.Cmd]() {
				for i := range v.Len() {
					s.msgs <- v.Index(i).Interface().(tea.Cmd)()
				}
				return
			}
			s.msgs <- msg
		}
	}()
}

// settle lets everything happen that does not need more than a moment.
func (s *screen) settle() {
	for range 6 {
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		for len(s.msgs) > 0 {
			s.send(<-s.msgs)
		}
	}
}

// wait lets time pass.
func (s *screen) wait(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		s.settle()
	}
}

func (s *screen) send(msg tea.Msg) {
	if _, ok := msg.(tea.QuitMsg); ok {
		s.quit = true
	}
	s.seen = append(s.seen, msg)
	_, cmd := s.m.Update(msg)
	s.start(cmd)
}

// event lets the pod say something.
func (s *screen) event(events ...protocol.EventData) {
	for _, d := range events {
		s.pod.stream <- protocol.Event{Data: d}
	}
	s.settle()
}

func (s *screen) fail(err error) {
	s.pod.stream <- err
	s.settle()
}

// press presses keys by their names; a name that is none is typed.
func (s *screen) press(names ...string) {
	for _, name := range names {
		if k, ok := keys[name]; ok {
			s.send(tea.KeyPressMsg(k))
			continue
		}
		for _, r := range name {
			s.send(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
		}
	}
	s.settle()
}

var keys = map[string]tea.Key{
	"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "up": {Code: tea.KeyUp},
	"down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft}, "right": {Code: tea.KeyRight}, "home": {Code: tea.KeyHome},
	"end": {Code: tea.KeyEnd}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown}, "backspace": {Code: tea.KeyBackspace},
	"delete": {Code: tea.KeyDelete}, "f1": {Code: tea.KeyF1},
	"shift+up": {Code: tea.KeyUp, Mod: tea.ModShift}, "shift+down": {Code: tea.KeyDown, Mod: tea.ModShift},
	"shift+enter": {Code: tea.KeyEnter, Mod: tea.ModShift}, "alt+enter": {Code: tea.KeyEnter, Mod: tea.ModAlt},
	"alt+b": {Code: 'b', Mod: tea.ModAlt}, "alt+f": {Code: 'f', Mod: tea.ModAlt}, "alt+d": {Code: 'd', Mod: tea.ModAlt},
	"alt+x":     {Code: 'x', Mod: tea.ModAlt},
	"ctrl+home": {Code: tea.KeyHome, Mod: tea.ModCtrl}, "ctrl+end": {Code: tea.KeyEnd, Mod: tea.ModCtrl},
	"ctrl+left": {Code: tea.KeyLeft, Mod: tea.ModCtrl}, "ctrl+right": {Code: tea.KeyRight, Mod: tea.ModCtrl},
	"ctrl+a": ctrl('a'), "ctrl+c": ctrl('c'), "ctrl+d": ctrl('d'), "ctrl+e": ctrl('e'), "ctrl+g": ctrl('g'), "ctrl+j": ctrl('j'),
	"ctrl+k": ctrl('k'), "ctrl+l": ctrl('l'), "ctrl+o": ctrl('o'), "ctrl+q": ctrl('q'), "ctrl+u": ctrl('u'), "ctrl+v": ctrl('v'),
	"ctrl+w": ctrl('w'), "ctrl+x": ctrl('x'), "ctrl+y": ctrl('y'), "ctrl+z": ctrl('z'), "ctrl+t": ctrl('t'),
}

func ctrl(r rune) tea.Key { return tea.Key{Code: r, Mod: tea.ModCtrl} }

// text is the screen without colours.
func (s *screen) text() string { return plainScreen(s.m.View().Content) }

func plainScreen(content string) string {
	lines := strings.Split(ansi.Strip(content), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

func (s *screen) shows(parts ...string) {
	s.t.Helper()
	text := s.text()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			s.t.Errorf("the screen does not show %q:\n%s", p, text)
		}
	}
}

func (s *screen) hides(parts ...string) {
	s.t.Helper()
	text := s.text()
	for _, p := range parts {
		if strings.Contains(text, p) {
			s.t.Errorf("the screen shows %q:\n%s", p, text)
		}
	}
}

// hello is what an extended pod begins with.
func hello(state protocol.PodState) protocol.HelloEvent {
	sid, _ := protocol.ParseSessionID(sessionID)
	return protocol.HelloEvent{ProtocolVersion: 1, Server: "podium/x", PodName: "shop", SessionID: sid, State: state,
		Features: []string{"compact", "entries", "request_id", "since"}}
}

func status(state protocol.PodState) protocol.Status {
	sid, _ := protocol.ParseSessionID(sessionID)
	return protocol.Status{State: state, SessionID: sid, Clients: 1, SinceMS: 2000}
}

func snapshot(state protocol.PodState, before *string, items ...protocol.Item) protocol.Snapshot {
	sid, _ := protocol.ParseSessionID(sessionID)
	d := protocol.Snapshot{SessionID: sid, State: state, TotalItems: uint64(len(items)), Before: before}
	for _, i := range items {
		b, err := i.Append(nil)
		if err != nil {
			panic(err)
		}
		d.Items = append(d.Items, b)
	}
	return d
}

func message(role protocol.Role, id, text string) protocol.Item {
	return protocol.Item{Data: protocol.Message{Role: role, Content: []protocol.Content{{Type: protocol.ContentText, Text: text}}}, EntryID: id}
}

// attached is a screen of an idle extended pod without a history.
func attached(t *testing.T, change ...func(*tui.Options)) *screen {
	t.Helper()
	s := open(t, change...)
	s.event(hello(protocol.StateIdle), snapshot(protocol.StateIdle, nil), status(protocol.StateIdle))
	return s
}

// running is a screen of a pod in the middle of a run.
func running(t *testing.T, change ...func(*tui.Options)) *screen {
	t.Helper()
	s := attached(t, change...)
	s.event(status(protocol.StateRunning), protocol.UserInput{Text: "fix the flaky login test", Kind: protocol.InputText, Client: us, EntryID: "u-1"}, protocol.TurnStart{})
	return s
}

func number(n uint64) *uint64 { return &n }

func usage(in, out, cached uint64, cost *float64) protocol.Usage {
	return protocol.Usage{InputTokens: &in, OutputTokens: &out, Extra: &protocol.UsageExtra{
		CacheReadTokens: cached, CostUSD: cost, ContextTokens: in + out, ContextLimit: number(200_000)}}
}

// errEnd is what a session's stream gives at its ends.
var errEnd = io.EOF

func lost(attempt int) error {
	return &client.Disconnected{Cause: errors.New("reset"), Attempt: attempt, Next: time.Now()}
}

// fixed is a clock that stands still.
func fixed() time.Time { return time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) }
