//go:build noui

package web

import "io/fs"

// Dist is nil: this program was built without the page.
func Dist() fs.FS { return nil }
