package studio

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// missingPage stands in when the build carries no page. It obeys the content
// policy: no script, no inline style.
const missingPage = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Podium Studio</title></head>
<body>
<h1>Podium Studio is running</h1>
<p>This build was made without its page. The API is complete: start at
<a href="/openapi.json">/openapi.json</a>, <a href="/api/runs/">/api/runs/</a> and <a href="/health">/health</a>.</p>
<p>To build the page, run <code>make web</code> in the source folder and build again.</p>
</body>
</html>
`

// page serves the committed build. Files below assets/ carry a hash in their
// name and never change; index.html is asked for again each time.
type page struct {
	files fs.FS // nil without a build
	index []byte
	etag  string // of index
}

func newPage(files fs.FS) *page {
	if files == nil {
		return &page{}
	}
	index, err := fs.ReadFile(files, "index.html")
	if err != nil {
		return &page{}
	}
	sum := sha256.Sum256(index)
	return &page{files: files, index: index, etag: `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// ServeHTTP answers a file, or the page itself for every address that the
// page's own router may know.
func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	if p.files == nil {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Cache-Control", "no-cache")
		status := http.StatusOK
		if r.URL.Path != "/" {
			status = http.StatusNotFound
		}
		w.WriteHeader(status)
		if r.Method == http.MethodGet {
			_, _ = w.Write([]byte(missingPage))
		}
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" || name == "index.html" {
		p.serveIndex(w, r)
		return
	}
	if info, err := fs.Stat(p.files, name); err == nil && info.Mode().IsRegular() {
		cache := "no-cache"
		if strings.HasPrefix(name, "assets/") {
			cache = "public, max-age=31536000, immutable"
		}
		w.Header().Set("Cache-Control", cache)
		http.ServeFileFS(w, r, p.files, name)
		return
	}
	// A missing file must not read as a page: a script that is gone is an error,
	// not a document.
	if strings.HasPrefix(name, "assets/") || path.Ext(name) != "" {
		http.Error(w, "Not Found", http.StatusNotFound)
		return
	}
	p.serveIndex(w, r)
}

func (p *page) serveIndex(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", p.etag)
	http.ServeContent(w, r, "index.html", time.Time{}, bytes.NewReader(p.index))
}
