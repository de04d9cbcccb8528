package transcript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
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

// child is the process that importApart starts.
func child(dir string) int {
	report, err := childImport(dir)
	if encoded := json.NewEncoder(os.Stdout).Encode(report); encoded != nil {
		err = encoded
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
	if err := json.Unmarshal(out, &a.report); err != nil {
		t.Fatalf("%v in %q", err, out)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		a.peak = usage.Maxrss
		if runtime.GOOS == "linux" {
			a.peak <<= 10 // in KiB there
		}
	}
	return a
}
