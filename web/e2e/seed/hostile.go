package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"

	"podium.local/store"
)

// trap is markup that says so if it is ever executed.
const trap = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script><svg onload="document.title='owned'">`

// hostileRows makes a store of sessions whose every word is against the page.
func hostileRows(ctx context.Context, path string, now time.Time) (err error) {
	s, err := store.Create(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	c, err := sqlite3.OpenFlags((&url.URL{Scheme: "file", OmitHost: true, Path: path}).String(), sqlite3.OPEN_READWRITE|sqlite3.OPEN_URI)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	long := strings.Repeat("w", 100_000)
	words := []struct{ name, project string }{
		{trap, trap},
		{"endless " + long, "endless " + long},
		{strings.Repeat("many words ", 10_000), "shop"},
		{"\u202eeman lavirra\u202c and on", "\u202etcejorp lavirra\u202c"},
		{"\u0627\u0644\u0639\u0631\u0628\u064a\u0629 42 \u0645\u0631\u062d\u0628\u0627", "\u0645\u0634\u0631\u0648\u0639"},
		{"zero\u200bwidth\u200b\u2060\ufeff name", "zero\u200bwidth"},
		{"\u200b\u200b\u200b", "\u200b"},
		{"t" + strings.Repeat("\u0301\u0323\u0489", 400) + "all", "t" + strings.Repeat("\u0301", 400)},
		{"lines\n\n\n\tand tabs \x1b[31mred\x1b[0m", "lines\nof a project"},
		{"javascript:document.title='owned'", "javascript:document.title='owned'"},
		{"__proto__", "__proto__"},
	}
	rows := make([]row, 0, len(words)+1)
	for i, w := range words {
		at := seconds(now.Add(-time.Duration(i+1) * time.Minute))
		cost := 0.5
		rows = append(rows, row{
			ID: fmt.Sprintf("hostile-%02d", i), Name: w.name, Kind: "agent", Source: "live", Status: "completed", Started: at - 30, Ended: &at, Updated: at,
			Model: "model " + w.name[:min(len(w.name), 3)], Provider: "anthropic", Project: &w.project, Input: 1, Output: 1, Turns: 1, Cost: &cost, Tags: []string{w.project},
		})
	}
	play := rows[0]
	play.ID, play.Kind, play.Agent, play.Playbook, play.Model = "hostile-play", "play", new(trap), new(trap), trap
	return insert(c, append(rows, play))
}
