package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes the test binary answer as podium when a script runs it, so
// that scripts drive the real command line in processes of its own.
func TestMain(m *testing.M) {
	if os.Getenv(asPodium) != "" {
		os.Exit(execute())
	}
	testscript.Main(m, map[string]func(){
		"podium": func() { os.Exit(execute()) },
	})
}

// asPodium makes the test binary the program itself; tests set it for the
// processes that they start without a script.
const asPodium = "TEST_AS_PODIUM"

// TestScript runs every script below testdata/script, each in a home of its
// own: nothing of the person running the tests is read or written.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"sql": scriptSQL, "cursor": scriptCursor},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			env.Setenv("PODIUM_HOME", home)
			env.Setenv("HOME", env.WorkDir)
			for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"} {
				env.Setenv(name, "")
			}
			return nil
		},
	})
}
