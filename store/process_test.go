//go:build unix

package store_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// helperArg as first argument makes the test binary a process that uses a
// store: the role and the store's path follow.
const helperArg = "store-test-helper"

// helpers are the roles of such processes. They run until their standard input
// ends; what goes wrong is said on standard error, with exit 1.
var helpers = map[string]func(ctx context.Context, path string, say io.Writer) error{
	"pod":     runPodHelper,
	"bulk":    runBulkHelper,
	"reader":  runReaderHelper,
	"create":  runCreateHelper,
	"make":    runMakeHelper,
	"full":    runFullHelper,
	"open":    runOpenHelper,
	"restore": runRestoreHelper,
	"hold":    runHoldHelper,
}

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == helperArg {
		ctx, cancel := context.WithCancel(context.Background())
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			cancel()
		}()
		if err := helpers[os.Args[2]](ctx, os.Args[3], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// process is a running helper.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	lines  *bufio.Scanner
	stderr *strings.Builder
}

func startHelper(t testing.TB, role, path string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], helperArg, role, path), stderr: new(strings.Builder)}
	p.cmd.Stderr = p.stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin, p.lines = stdin, bufio.NewScanner(stdout)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// stop lets the helper end by itself and returns what it said last.
func (p *process) stop(t testing.TB) (last string) {
	t.Helper()
	if err := p.stdin.Close(); err != nil {
		t.Fatal(err)
	}
	for p.lines.Scan() {
		last = p.lines.Text()
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%s: %v: %s", p.cmd.Args[2], err, p.stderr)
	}
	return last
}

// self is the identity of this process, as far as a store cares.
func self(name string) session.PodStart {
	start := storetest.PodStart(name)
	start.Process.PID = os.Getpid()
	return start
}

// runPodHelper is a pod that commits as fast as it can and says every entry it
// was told is committed.
func runPodHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.Create(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	p, err := s.StartPod(ctx, self(fmt.Sprintf("pod-%d", os.Getpid())))
	if err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		// Not interrupted by the end of standard input: what is begun is finished.
		plain := context.WithoutCancel(ctx)
		item := session.InboxItem{EntryID: protocol.NewEntryID(), Kind: "input", Text: "x"}
		if _, _, err := s.Accept(plain, session.Acceptance{PodID: p.ID, Item: item, RequestID: item.EntryID}); err != nil {
			return err
		}
		fmt.Fprintln(say, "accepted", item.EntryID, p.SessionID, p.ID)
		c := turnCommit(p, i)
		c.Taken = []string{item.EntryID}
		c.Entries = append(c.Entries, session.NewEntry{ID: item.EntryID, Kind: session.KindInput, Payload: session.Input{Text: "x"}})
		if _, err := s.Commit(plain, c); err != nil {
			return err
		}
		fmt.Fprintln(say, "committed", c.Entries[0].ID, p.SessionID, p.ID)
	}
	err = s.Leave(context.WithoutCancel(ctx), session.Leave{
		PodID: p.ID, SessionID: p.SessionID, Status: session.StatusCompleted, ReasonCode: "session.completed",
	})
	if err != nil {
		return err
	}
	return s.Close()
}

// runBulkHelper imports: many small files of a session each a transaction.
func runBulkHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.Open(ctx, path, store.Options{Bulk: true})
	if err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		var batches []session.ImportBatch
		for j := range 100 {
			id := fmt.Sprintf("imported-%d-%d", i, j)
			batches = append(batches, imported("/files/"+id, id, "known", 2))
		}
		for len(batches) > 0 {
			outs, err := s.ImportBatches(context.WithoutCancel(ctx), batches)
			if err != nil {
				return err
			}
			batches = batches[len(outs):]
			fmt.Fprintln(say, "imported", i, len(outs))
		}
	}
	return s.Close()
}

// runReaderHelper reads logs from one end to the other.
func runReaderHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.OpenReadOnly(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		plain := context.WithoutCancel(ctx)
		pods, err := s.Pods(plain)
		if err != nil {
			return err
		}
		if len(pods) == 0 {
			continue
		}
		p := pods[rand.N(len(pods))]
		log, err := s.Log(plain, p.SessionID, 0, -1, 1000)
		if err != nil {
			return err
		}
		for j, e := range log {
			if e.Ordinal != int64(j) {
				return fmt.Errorf("entry %d of %s has ordinal %d", j, p.SessionID, e.Ordinal)
			}
		}
		fmt.Fprintln(say, "read", i)
	}
	return s.Close()
}

func TestProcesses_ManyWritersAndReadersNeverSeeALockError(t *testing.T) {
	s := storetest.New(t, store.Options{})
	var crowd []*process
	for range 10 {
		crowd = append(crowd, startHelper(t, "pod", s.Path()))
	}
	crowd = append(crowd, startHelper(t, "bulk", s.Path()), startHelper(t, "reader", s.Path()))
	for _, p := range crowd { // each is at work before the time begins
		if !p.lines.Scan() {
			t.Errorf("%v said nothing: %v", p.cmd.Args[2:], p.stderr)
		}
	}
	timer := time.NewTimer(crowdFor)
	// Everything they say is read, or they would wait for us.
	for _, p := range crowd {
		done := make(chan struct{})
		go func() {
			defer close(done)
			for p.lines.Scan() {
				_ = p.lines.Bytes()
			}
		}()
		defer func() { <-done }()
	}
	<-timer.C
	for _, p := range crowd {
		if err := p.stdin.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, p := range crowd {
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%s: %v: %s", p.cmd.Args[2], err, p.stderr)
		}
	}
	assertSound(t, s)
	t.Logf("entries: %s", storetest.Value(t, s.Path(), "SELECT count(*) FROM entries"))
}

func TestProcesses_KilledAtAnyMomentLoseNothingTheyWereTold(t *testing.T) {
	path := storetest.New(t, store.Options{}).Path()
	for range killRounds {
		p := startHelper(t, "pod", path)
		after := 1 + rand.N(60)
		var told [][]string
		for len(told) < after && p.lines.Scan() {
			told = append(told, strings.Fields(p.lines.Text()))
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for p.lines.Scan() { // what it had said before it died counts too
			if f := strings.Fields(p.lines.Text()); len(f) == 4 {
				told = append(told, f)
			}
		}
		_ = p.cmd.Wait() // killed
		if len(told) == 0 {
			t.Fatalf("the helper said nothing: %s", p.stderr)
		}
		s, err := store.Open(t.Context(), path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		assertTold(t, s, told)
		assertSound(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// assertTold wants everything that a killed process was told to be there: an
// accepted input in the inbox or the log, a committed entry in the log.
func assertTold(t testing.TB, s *store.Store, told [][]string) {
	t.Helper()
	sessionID := told[0][2]
	podID, err := protocol.ParsePodID(told[0][3])
	if err != nil {
		t.Fatal(err)
	}
	there := make(map[string]string)
	log, err := s.Log(t.Context(), sessionID, 0, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range log {
		there[e.ID] = "committed"
	}
	inbox, err := s.Inbox(t.Context(), podID)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range inbox {
		there[item.EntryID] = "accepted"
	}
	for _, f := range told {
		if got := there[f[1]]; got == "" || f[0] == "committed" && got != "committed" {
			t.Errorf("%s was told %s and is %q", f[1], f[0], got)
		}
	}
}

// runCreateHelper makes the store, or opens it when another was faster.
func runCreateHelper(ctx context.Context, path string, say io.Writer) error {
	s, err := store.Create(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if _, err := s.StartPod(ctx, self(fmt.Sprintf("made-%d", os.Getpid()))); err != nil {
		return err
	}
	fmt.Fprintln(say, "made")
	return s.Close()
}

// runMakeHelper makes the store and says every step.
func runMakeHelper(ctx context.Context, path string, say io.Writer) error {
	fmt.Fprintln(say, "beginning")
	_, err := store.Migrate(ctx, path, store.MigrateOptions{Step: func(done string, _ time.Duration) { fmt.Fprintln(say, done) }})
	return err
}

func TestProcesses_KilledWhileMakingAStoreLeaveOneThatCanBeMade(t *testing.T) {
	for steps := 1; steps <= 4; steps++ {
		path := filepath.Join(t.TempDir(), "state.db")
		p := startHelper(t, "make", path)
		for range steps {
			if !p.lines.Scan() {
				t.Fatalf("it ended early: %s", p.stderr)
			}
		}
		if err := p.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = p.cmd.Wait() // killed, or just done
		s, err := store.Create(t.Context(), path, store.Options{})
		if err != nil {
			t.Errorf("after %d steps: %v", steps, err)
			continue
		}
		storetest.Start(t, s, storetest.PodStart("a"))
		assertSound(t, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if st := examine(t, path); !st.Ready() {
			t.Errorf("after %d steps: %+v", steps, st)
		}
	}
}

func TestCreate_ByManyAtOnceMakesOneStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	var crowd []*process
	for range 6 {
		crowd = append(crowd, startHelper(t, "create", path))
	}
	for _, p := range crowd {
		if !p.lines.Scan() || p.lines.Text() != "made" {
			t.Errorf("one said %q", p.lines.Text())
		}
		p.stop(t)
	}
	s := open(t, path, store.Options{})
	pods, err := s.Pods(t.Context())
	if err != nil || len(pods) != 6 {
		t.Errorf("%d pods, %v", len(pods), err)
	}
	assertSound(t, s)
}
