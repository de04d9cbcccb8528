package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemo_SaysHowToCallIt looks for podium on three PATHs: of this program, of
// another one and of none.
func TestDemo_SaysHowToCallIt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, put := range map[string]func(podium string) error{
		"this one":   func(podium string) error { return os.Symlink(exe, podium) },
		"another":    func(podium string) error { return os.WriteFile(podium, []byte("#!/bin/sh\n"), 0o755) },
		"none there": func(string) error { return nil },
	} {
		dir := t.TempDir()
		if err := put(filepath.Join(dir, "podium")); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		var out strings.Builder
		d := &demo{app: &app{out: &out}, home: "/demo home"}
		d.next("http://page/")
		alias := "\n  alias podium=" + shellWord(exe) + "\n  podium ps\n"
		if got := strings.Contains(out.String(), alias); got != (name != "this one") || !strings.Contains(out.String(), "export PODIUM_HOME='/demo home/podium'\n") {
			t.Errorf("%s: %s", name, out.String())
		}
	}
}
