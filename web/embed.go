//go:build !noui

package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Dist is the committed build of the page: index.html and assets/ with hashed
// names. It is nil when the page was left out (build tag noui).
func Dist() fs.FS {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic("web: the embedded build has no dist folder: " + err.Error())
	}
	return dist
}
