//go:build !unix

package store

import "io/fs"

// identify cannot tell files apart here; a swapped file is then only noticed
// by what the transaction finds in it.
func identify(fs.FileInfo) fileID { return fileID{} }

func checkOwner(fs.FileInfo) error { return nil }
