package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"podium.local/client"
	"podium.local/protocol"
)

func TestDial_SaysHelloAndShowsItsAnswerFirst(t *testing.T) {
	heard := make(chan protocol.Hello, 1)
	path := runPod(t, func(p *peer) {
		heard <- p.welcome(7)
		p.send(delta("Hel"))
	})
	tail := uint64(5)
	c := dial(t, path, client.Options{
		Client: "test/9", Tail: &tail, Resume: &client.Position{PodID: podID, Seq: 7},
	})
	h := <-heard
	if h.Client != "test/9" || h.ProtocolVersion != 1 || *h.Tail != 5 || *h.PodID != podID || *h.Since != 7 {
		t.Errorf("hello was %+v", h)
	}
	answer, extended := c.Hello()
	if !extended || answer.PodID != podID || !answer.Resumed || c.BaseReason() != nil {
		t.Errorf("Hello gave %+v, %v; BaseReason %v", answer, extended, c.BaseReason())
	}
	wantNames(t, c, io.EOF, "hello", "text_delta")
}

func TestDial_WithoutResumeGetsASnapshot(t *testing.T) {
	path := runPod(t, func(p *peer) {
		if h := p.welcome(7); h.PodID != nil || h.Since != nil || h.Tail != nil || h.Client == "" {
			t.Errorf("hello was %+v", h)
		}
	})
	wantNames(t, dial(t, path, client.Options{}), io.EOF, "hello", "snapshot")
}

func TestDial_DropsBeforeHelloOnlyWhatTheExtendedStreamRepeats(t *testing.T) {
	path := runPod(t, func(p *peer) {
		p.send(
			protocol.Event{Data: protocol.Notification{Message: "replayed"}},
			delta("Hel"), done(7), protocol.Event{Data: protocol.Unknown{Name: "brand_new"}},
		)
		p.welcome(7)
	})
	wantNames(t, dial(t, path, client.Options{}), io.EOF, "notification", "brand_new", "hello", "snapshot")
}

func TestDial_ModeBaseNeverSaysHello(t *testing.T) {
	path := runPod(t, func(p *peer) {
		p.expect(protocol.MethodPause)
		p.send(delta("x"))
	})
	c := dial(t, path, client.Options{Mode: client.ModeBase})
	if _, extended := c.Hello(); extended || c.BaseReason() == nil {
		t.Errorf("Hello %v, BaseReason %v", extended, c.BaseReason())
	}
	if err := c.Send(within(t), protocol.Method{Params: protocol.Pause{}}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, c, io.EOF, "text_delta")
}

// refuseHello answers hello with an error, as an older pod does: to everybody,
// without the request id.
func refuseHello(code protocol.ErrorCode, message string) func(*peer) {
	return func(p *peer) {
		p.send(protocol.Event{Data: protocol.Notification{Message: "replayed"}}, done(3))
		p.expect(protocol.MethodHello)
		p.send(protocol.Event{Data: protocol.Error{Code: protocol.CodeProviderError, Message: "of somebody else's run"}})
		p.send(protocol.Event{Data: protocol.Error{Code: code, Message: message}})
		p.send(delta("x"))
	}
}

func TestDial_FallsBackToTheBaseVocabulary(t *testing.T) {
	for name, script := range map[string]func(*peer){
		"a pod that does not know hello": refuseHello(protocol.CodeInternal, "invalid method: unknown variant `hello`"),
		"a pod of another version":       refuseHello(protocol.CodeUnsupportedVersion, "this pod speaks version 2"),
	} {
		t.Run(name, func(t *testing.T) {
			path := runPod(t, script, script)
			c := dial(t, path, client.Options{})
			if _, extended := c.Hello(); extended || !errors.Is(c.BaseReason(), client.ErrBaseOnly) {
				t.Errorf("Hello %v, BaseReason %v", extended, c.BaseReason())
			}
			wantNames(t, c, io.EOF, "notification", "text_done", "error", "text_delta")

			_, err := client.Dial(within(t), path, client.Options{Mode: client.ModeExtended})
			if !errors.Is(err, client.ErrBaseOnly) {
				t.Errorf("ModeExtended gave %v, want ErrBaseOnly", err)
			}
		})
	}
}

func TestDial_ReportsAPodThatMisbehavesBeforeHelloIsAnswered(t *testing.T) {
	var refused *client.PodError
	for name, c := range map[string]struct {
		script func(*peer)
		want   error
		text   string
	}{
		"closes at once":           {func(*peer) {}, client.ErrLost, "say hello to pod pod"},
		"closes after hello":       {func(p *peer) { p.expect(protocol.MethodHello) }, client.ErrLost, "without an answer"},
		"closes in mid-line":       {func(p *peer) { p.expect(protocol.MethodHello); p.raw(`{"event":"hel`) }, client.ErrLost, "unexpected EOF"},
		"speaks another protocol":  {func(p *peer) { p.raw("HTTP/1.1 400 Bad Request\r\n\r\n") }, client.ErrNotAPod, "HTTP/1.1 400"},
		"answers with half hello":  {func(p *peer) { p.expect(protocol.MethodHello); p.raw(`{"event":"hello","data":{}}` + "\n") }, client.ErrNotAPod, "missing protocol_version"},
		"never answers":            {func(p *peer) { p.expect(protocol.MethodHello); p.left() }, context.DeadlineExceeded, "no answer within 50ms"},
		"never reads nor answers":  {func(p *peer) { _, _ = io.Copy(io.Discard, p.conn) }, context.DeadlineExceeded, "no answer within 50ms"},
		"answers with its own no":  {func(p *peer) { p.refuse("not now") }, nil, "not now"},
		"refuses the connection":   {func(p *peer) { p.raw(tooMany) }, nil, "refused: 1024 clients"},
		"refuses after the method": {func(p *peer) { p.expect(protocol.MethodHello); p.raw(tooMany) }, nil, "refused: 1024 clients"},
	} {
		t.Run(name, func(t *testing.T) {
			path := runPod(t, c.script)
			o := client.Options{}
			if c.want == context.DeadlineExceeded {
				o.Timeout = 50 * time.Millisecond
			}
			_, err := client.Dial(within(t), path, o)
			if c.want == nil && !errors.As(err, &refused) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want a text with %q", err, c.text)
			}
		})
	}
}

const tooMany = `{"event":"error","data":{"code":"internal","message":"refused: 1024 clients are connected"}}` + "\n"

// refuse answers hello with an error of no special kind.
func (p *peer) refuse(message string) {
	m := p.expect(protocol.MethodHello)
	p.send(protocol.Event{Data: protocol.Error{Code: protocol.CodeInternal, Message: message}, RequestID: m.RequestID})
}

func TestDial_EndsWithItsContext(t *testing.T) {
	asked := make(chan struct{})
	path := runPod(t, func(p *peer) {
		p.expect(protocol.MethodHello)
		close(asked)
		p.left()
	})
	ctx, cancel := context.WithCancelCause(within(t))
	go func() {
		<-asked
		cancel(errors.New("no longer wanted"))
	}()
	if _, err := client.Dial(ctx, path, client.Options{}); err == nil || !strings.Contains(err.Error(), "no longer wanted") {
		t.Errorf("got %v, want the context's cause", err)
	}
}

func TestDial_SaysWhyThereIsNoPod(t *testing.T) {
	dir := filepath.Dir(socketPath(t))
	leftBehind := filepath.Join(dir, "sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: leftBehind, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	_ = listener.Close()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := "/" + strings.Repeat("x", client.MaxPath)
	for name, c := range map[string]struct {
		path, pod string
		want      error
		text      string
	}{
		"no socket":        {filepath.Join(dir, "other", "sock"), "", client.ErrNotRunning, "pod other is not running: no socket at "},
		"a socket alone":   {"/nonexistent", "", client.ErrNotRunning, "pod at /nonexistent is not running: no socket at /nonexistent"},
		"a name given":     {filepath.Join(dir, "other", "sock"), "mine", client.ErrNotRunning, "pod mine is not running"},
		"left behind":      {leftBehind, "", client.ErrNotRunning, "pod pod is not running: the socket at "},
		"no socket at all": {file, "", client.ErrNotAPod, "is not a socket"},
		"below a file":     {filepath.Join(file, "sock"), "", client.ErrNotRunning, "no socket at"},
		"path too long":    {long, "p", client.ErrPathTooLong, fmt.Sprintf("%d bytes, the limit is %d", len(long), client.MaxPath)},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Dial(within(t), c.path, client.Options{PodName: c.pod})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.text)
			}
		})
	}
}

func TestDial_AllowsAPathOfExactlyTheLimit(t *testing.T) {
	dir := filepath.Dir(socketPath(t))
	path := filepath.Join(dir, strings.Repeat("s", client.MaxPath-len(dir)-1))
	p := startPod(t, path, func(p *peer) { p.welcome(0) })
	defer p.stop()
	wantNames(t, dial(t, path, client.Options{}), io.EOF, "hello", "snapshot")
}

func TestExplain_NamesTheOwnerRuleForPermission(t *testing.T) {
	err := client.Explain(&net.OpError{Op: "dial", Err: os.NewSyscallError("connect", syscall.EACCES)}, "/run/pod/sock", "pod")
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "only to the user who runs them") {
		t.Errorf("got %v", err)
	}
}

func TestDial_WaitsForAPodWhoseConnectionQueueIsFull(t *testing.T) {
	path := socketPath(t)
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	var fillers []net.Conn
	defer func() {
		for _, c := range fillers {
			_ = c.Close()
		}
	}()
	for {
		c, err := net.Dial("unix", path)
		if errors.Is(err, syscall.EAGAIN) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		fillers = append(fillers, c)
	}
	_, err = client.Dial(within(t), path, client.Options{Mode: client.ModeBase, Timeout: 20 * time.Millisecond})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want to wait as long as allowed", err)
	}
	accepted, _, err := unix.Accept(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(accepted) }()
	dial(t, path, client.Options{Mode: client.ModeBase})
}
