package pod_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"podium.local/pod"
	"podium.local/pod/podtest"
	"podium.local/session"
)

func TestProbe_TellsTheLivingFromTheDead(t *testing.T) {
	self, err := pod.ThisProcess()
	if err != nil {
		t.Fatal(err)
	}
	if self.PID != os.Getpid() || self.Host == "" || self.BootTime <= 0 || self.CreateTime < self.BootTime {
		t.Errorf("this process: %+v", self)
	}
	change := func(f func(*session.Process)) session.Process {
		p := self
		f(&p)
		return p
	}
	for name, c := range map[string]struct {
		p    session.Process
		want pod.Liveness
	}{
		"itself":                  {self, pod.Alive},
		"start known to a second": {change(func(p *session.Process) { p.CreateTime += 0.9 }), pod.Alive},
		"the pid was used again":  {change(func(p *session.Process) { p.CreateTime -= 60 }), pod.Dead},
		"before a restart":        {change(func(p *session.Process) { p.BootTime -= 3600 }), pod.Dead},
		"another machine":         {change(func(p *session.Process) { p.Host += "x" }), pod.Unknown},
		"no such process":         {change(func(p *session.Process) { p.PID = 1 << 22 }), pod.Dead},
		"nothing recorded":        {session.Process{}, pod.Unknown},
	} {
		if got := pod.Probe(c.p); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestProbe_AKilledProcessIsDeadBeforeItsParentWaits(t *testing.T) {
	c := startChild(t, newChildSpec(t, "z"))
	found, ok, err := pod.Find(filepath.Dir(filepath.Dir(c.socket)), "z")
	if err != nil || !ok || !found.Held || found.PID != c.cmd.Process.Pid {
		t.Fatalf("found %+v, %t, %v", found, ok, err)
	}
	if err := c.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return pod.Probe(session.Process{PID: c.cmd.Process.Pid}) == pod.Dead })
}

func TestFind_KnowsLivingAndDeadPodsAndNothingElse(t *testing.T) {
	runDir := podtest.RunDir(t)
	if _, ok, err := pod.Find(runDir, "living"); err != nil || ok {
		t.Fatalf("an absent run folder: %t, %v", ok, err)
	}
	living := podtest.Start(t, pod.Options{Name: "living", RunDir: runDir})
	ended := podtest.Try(t, pod.Options{Name: "ended", RunDir: runDir})
	if err := ended.Stop(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"empty", ".hidden"} {
		if err := os.Mkdir(filepath.Join(runDir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(runDir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var found []pod.Found
	for _, name := range []string{"ended", "living", "empty", "file", "nobody"} {
		f, ok, err := pod.Find(runDir, name)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			found = append(found, f)
		}
	}
	same(t, "found", []pod.Found{
		{Name: "ended", Dir: filepath.Join(runDir, "ended"), Socket: ended.Socket(), SessionID: ended.SessionID(), State: "idle"},
		{Name: "living", Dir: filepath.Join(runDir, "living"), Socket: living.Socket(), SessionID: living.SessionID(), State: "idle",
			Held: true, PID: os.Getpid()},
	}, found)
	if found[0].Answers() || !found[1].Answers() {
		t.Error("the living pod answers, the ended one does not")
	}
	if _, _, err := pod.Find(runDir, ".hidden"); err == nil {
		t.Error("a name that no pod can have is looked for")
	}
	// Looking takes a shared lock for a moment, which must not keep a pod from
	// starting.
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_, _, _ = pod.Find(runDir, "ended")
			}
		}
	}()
	for range 10 {
		p := podtest.Try(t, pod.Options{Name: "ended", RunDir: runDir})
		if err := p.Stop(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	<-done
}

func TestOpen_RefusesWhatItCannotServe(t *testing.T) {
	dir := podtest.RunDir(t)
	if err := os.MkdirAll(filepath.Join(dir, "blocked", "sock"), 0o700); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, strings.Repeat("d", 120))
	for name, c := range map[string]struct {
		o    pod.Options
		want string
	}{
		"a name with a slash":       {pod.Options{Name: "a/b"}, "holds a slash"},
		"a name that hides":         {pod.Options{Name: ".x"}, "begins with ."},
		"a name like a flag":        {pod.Options{Name: "-x"}, "begins with -"},
		"a name with a line break":  {pod.Options{Name: "a\nb"}, "cannot be printed"},
		"a name without end":        {pod.Options{Name: strings.Repeat("n", 101)}, "101 bytes long, the limit is 100"},
		"a socket path too long":    {pod.Options{RunDir: long}, "is " + "1"},
		"a relative folder":         {pod.Options{Dir: "x"}, "not an absolute path"},
		"max_turns below one":       {pod.Options{MaxTurns: -1}, "must be at least 1"},
		"something in the way":      {pod.Options{RunDir: dir, Name: "blocked"}, "is not a socket"},
		"a session that is no UUID": {pod.Options{SessionID: "x", Store: podtest.NewStore()}, "claim a session"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := pod.Open(t.Context(), podtest.Fill(t, c.o))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	_, err := pod.SocketPath(long, "p")
	if err == nil || !strings.Contains(err.Error(), "this system allows 107") {
		t.Errorf("%v", err)
	}
}

func TestOpen_RefusesASocketThatAnswersWithoutTheLock(t *testing.T) {
	// As a pod of another program does, which knows nothing of our lock.
	p := podtest.Start(t, pod.Options{Name: "a"})
	other := podtest.RunDir(t)
	if err := os.MkdirAll(filepath.Join(other, "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.Socket(), filepath.Join(other, "b", "sock")); err != nil {
		t.Fatal(err)
	}
	if _, err := pod.Open(t.Context(), podtest.Fill(t, pod.Options{Name: "b", RunDir: other})); err == nil {
		t.Error("a link in the place of the socket is taken over")
	}
	stranger := filepath.Join(podtest.RunDir(t), "s")
	if err := os.MkdirAll(stranger, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Dir(p.Socket())+"/sock", filepath.Join(stranger, "sock")); err != nil {
		t.Fatal(err)
	}
	_, err := pod.Open(t.Context(), podtest.Fill(t, pod.Options{Name: "s", RunDir: filepath.Dir(stranger)}))
	if err == nil || !strings.Contains(err.Error(), "another program answers at") {
		t.Errorf("%v", err)
	}
}
