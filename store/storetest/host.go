package storetest

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ncruces/go-sqlite3"
)

// Host says what a measured time depends on besides the program: the versions
// of Go and SQLite, the machine's processor and how many of them were used.
func Host(t testing.TB) string {
	t.Helper()
	c, err := sqlite3.Open(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	stmt, _, err := c.Prepare("SELECT sqlite_version()")
	if err != nil {
		t.Fatal(err)
	}
	stmt.Step()
	version := stmt.ColumnText(0)
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s/%s, SQLite %s, CPU %s, GOMAXPROCS %d", runtime.Version(), runtime.GOOS, runtime.GOARCH, version, processor(), runtime.GOMAXPROCS(0))
}

// processor is the model of the processor where the system says it.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, model, found := strings.Cut(lines.Text(), ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return "unknown"
}

// String says how a fixture was made.
func (r Rows) String() string {
	return fmt.Sprintf("%d sessions by set-based SQL, %d branches a session, %d ids a progression, %d tags, unknown cost every %d, mirror every %d",
		r.Sessions, max(r.Branches, 1), membersOf(r), r.Tags, r.UnknownCost, r.Mirror)
}

func membersOf(r Rows) int {
	if r.Members == 0 {
		return 3
	}
	return r.Members
}
