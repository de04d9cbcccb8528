package store_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"podium.local/session"
	"podium.local/store"
	"podium.local/store/storetest"
)

// usedBytes is what the store's pages take, those free for use left out.
func usedBytes(t testing.TB, path string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(storetest.Value(t, path,
		"SELECT (page_count - freelist_count) * page_size FROM pragma_page_count, pragma_freelist_count, pragma_page_size"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestEntries_TakeAtMostThreeTenthsMoreThanTheirPayload(t *testing.T) {
	for _, pods := range []int{1, 10} {
		t.Run(fmt.Sprintf("%d pods in turn", pods), func(t *testing.T) {
			s := storetest.New(t, store.Options{Bulk: true})
			var held []session.Pod
			for i := range pods {
				held = append(held, storetest.Start(t, s, storetest.PodStart(fmt.Sprintf("p%d", i))))
			}
			const commits, each, size = 300, 10, 1024
			before := usedBytes(t, s.Path())
			for i := range commits {
				entries := make([]session.NewEntry, each)
				for j := range entries {
					entries[j] = storetest.Text(strings.Repeat("x", size-len(`{"text":""}`)))
				}
				storetest.Commit(t, s, held[i%pods], entries...)
			}
			ratio := float64(usedBytes(t, s.Path())-before) / float64(commits*each*size)
			t.Logf("bytes of entries with their indexes: %.3f of the payload's", ratio)
			if ratio > 1.3 || ratio < 1 {
				t.Errorf("%.3f bytes for a byte of payload", ratio)
			}
		})
	}
}

// walBytes is what n commits write, without what checkpoints copy.
func walBytes(t testing.TB, s *store.Store, p session.Pod, n int) int64 {
	t.Helper()
	storetest.SQL(t, s.Path(), "SELECT count(*) FROM pods; PRAGMA wal_checkpoint(TRUNCATE)")
	if info, err := os.Stat(s.Path() + "-wal"); err != nil || info.Size() != 0 {
		t.Fatal("the log was not emptied", err)
	}
	for i := range n {
		if _, err := s.Commit(t.Context(), turnCommit(p, i)); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(s.Path() + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	return info.Size() / int64(n)
}

func TestCommit_WritesNoMoreAsTheSessionGrows(t *testing.T) {
	s := storetest.New(t, store.Options{})
	p := storetest.Start(t, s, storetest.PodStart("a"))
	const around = 20 // commits measured together, so that a page split does not decide
	storetest.FillLog(t, s.Path(), p.SessionID, 100-around, 1024)
	early := walBytes(t, s, p, around)
	storetest.FillLog(t, s.Path(), p.SessionID, lastCommit-100-around, 1024)
	late := walBytes(t, s, p, around)
	t.Logf("bytes a commit: %d up to the 100th, %d up to number %d", early, late, lastCommit)
	if n := storetest.Value(t, s.Path(), "SELECT count(*) FROM entries"); n != fmt.Sprint(lastCommit) {
		t.Fatalf("the log has %s entries", n)
	}
	if float64(late) > 1.5*float64(early) {
		t.Errorf("commit number %d writes %d bytes, the 100th %d", lastCommit, late, early)
	}
}
