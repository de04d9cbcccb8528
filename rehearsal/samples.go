package rehearsal

import (
	_ "embed"
	"io/fs"

	"golang.org/x/tools/txtar"
)

//go:embed scripts/demo.toml
var demoScript []byte

//go:embed scripts/shop.txtar
var sampleRepo []byte

// DemoScript is the script of podium demo: three actors named implementer,
// reviewer and librarian, told apart by model, that work in SampleRepo.
func DemoScript() (*Script, error) { return Parse("demo.toml", demoScript) }

// SampleRepo is a small Go repository with a bug that its own test shows. It
// is kept as one archive so that it is no part of this module.
func SampleRepo() fs.FS {
	files, err := txtar.FS(txtar.Parse(sampleRepo))
	if err != nil {
		panic("rehearsal: the embedded sample repository is broken: " + err.Error())
	}
	return files
}
