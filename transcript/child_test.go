package transcript_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"podium.local/store"
	"podium.local/transcript"
)

// The variables that make a process of this test import a folder into a store,
// none for a dry run, while no file may grow beyond a number of bytes.
const (
	childDir   = "PODIUM_TEST_IMPORT_DIR"
	childStore = "PODIUM_TEST_IMPORT_STORE"
	childLimit = "PODIUM_TEST_IMPORT_LIMIT"
)

// answerOf is what such a process says.
type answerOf struct {
	Report transcript.Report
	Peak   int64
}

// peakMemory is the most memory, in bytes, that was resident. Linux counts what
// started a process among its usage, so that its own figure is taken there.
func peakMemory() (int64, error) {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_, text, _ := strings.Cut(string(status), "VmHWM:")
		var kib int64
		_, err := fmt.Sscan(text, &kib)
		return kib << 10, err
	}
	var usage syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Maxrss, err
}

// child is the process that importApart starts.
func child(dir string) int {
	report, err := childImport(dir)
	peak, peakErr := peakMemory()
	if encoded := json.NewEncoder(os.Stdout).Encode(answerOf{report, peak}); encoded != nil || peakErr != nil {
		err = errors.Join(err, encoded, peakErr)
	}
	if err != nil {
		fmt.Fprint(os.Stderr, err)
		return 1
	}
	return 0
}

func childImport(dir string) (r transcript.Report, err error) {
	sink := transcript.DryRun(nil)
	if path := os.Getenv(childStore); path != "" {
		s, err := store.Create(context.Background(), path, store.Options{Bulk: true})
		if err != nil {
			return r, err
		}
		defer func() { _ = s.Close() }() // nothing is left to be written
		sink = s
	}
	if text := os.Getenv(childLimit); text != "" {
		size, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return r, err
		}
		// The kernel says EFBIG where a full disk says ENOSPC.
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
			return r, err
		}
	}
	return transcript.Import(context.Background(), sink, options(transcript.ClaudeCode, dir))
}

// apart is what an import in a process of its own left.
type apart struct {
	report transcript.Report
	failed string // its error, empty for none
	peak   int64  // bytes resident at most
}

// importApart imports in a process of its own; limit 0 sets none.
func importApart(t testing.TB, dir, path string, limit int) (a apart) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, childStore+"="+path)
	if limit > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", childLimit, limit))
	}
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() == 1 {
		a.failed = string(exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	var said answerOf
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	a.report, a.peak = said.Report, said.Peak
	return a
}
