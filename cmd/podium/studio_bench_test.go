package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/store"
	"podium.local/store/storetest"
)

// BenchmarkStudio asks the built daemon for the first page of the runs listing
// and says what it holds afterwards: anonymous memory and the resident set.
func BenchmarkStudio(b *testing.B) {
	for _, n := range []int{20_000, 200_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h, command := released(b)
			path := filepath.Join(h.dir, "state.db")
			if _, err := store.Migrate(b.Context(), path, store.MigrateOptions{}); err != nil {
				b.Fatal(err)
			}
			storetest.Fill(b, path, storetest.Rows{Sessions: n, Branches: 2, Members: 30, UnknownCost: 3, Mirror: 100, Tags: 2})
			cmd := command("studio", "--listen", "127.0.0.1:0")
			stderr, err := cmd.StderrPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait() // killed
			}()
			base := ""
			for lines := bufio.NewScanner(stderr); base == "" && lines.Scan(); {
				if _, address, found := strings.Cut(lines.Text(), "studio is at "); found {
					base, _, _ = strings.Cut(address, "#")
				}
			}
			idle := memory(b, cmd.Process.Pid, "RssAnon")
			for b.Loop() {
				resp, err := http.Get(base + "api/runs/")
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
					b.Fatal(resp.Status, err)
				}
				_ = resp.Body.Close()
			}
			b.ReportMetric(idle, "idle-anon-MB")
			b.ReportMetric(memory(b, cmd.Process.Pid, "RssAnon"), "anon-MB")
			b.ReportMetric(memory(b, cmd.Process.Pid, "VmRSS"), "rss-MB")
		})
	}
}
