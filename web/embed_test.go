//go:build !noui

package web_test

import (
	"io/fs"
	"regexp"
	"testing"

	"podium.local/web"
)

var reference = regexp.MustCompile(`(?:src|href)="/([^"]+)"`)

func TestDist_IndexNamesFilesThatAreThere(t *testing.T) {
	index, err := fs.ReadFile(web.Dist(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	named := reference.FindAllSubmatch(index, -1)
	if len(named) < 3 {
		t.Fatalf("index.html names %d files, want an icon, a script and a style sheet at least", len(named))
	}
	for _, m := range named {
		info, err := fs.Stat(web.Dist(), string(m[1]))
		if err != nil || info.Size() == 0 {
			t.Errorf("index.html names %s: %v; run make web", m[1], err)
		}
	}
}

// The daemon's content policy refuses whatever stands in the page itself.
func TestDist_IndexHasNoScriptOrStyleOfItsOwn(t *testing.T) {
	index, err := fs.ReadFile(web.Dist(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, inline := range []*regexp.Regexp{
		regexp.MustCompile(`<script[^>]*>[^<]`), regexp.MustCompile(`<style`), regexp.MustCompile(`\sstyle=`), regexp.MustCompile(`\son[a-z]+=`), regexp.MustCompile(`https?://`),
	} {
		if found := inline.Find(index); found != nil {
			t.Errorf("index.html holds %q, which the content policy refuses", found)
		}
	}
}
