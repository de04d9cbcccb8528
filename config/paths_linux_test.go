package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podium.local/config"
)

func TestTryDir_TellsWhatMakeDirWouldAndLeavesNothing(t *testing.T) {
	t.Parallel()
	// Nobody can make a folder there, whatever its mode says.
	const never = "/proc/nope/podium"
	try, make := config.TryDir(never), config.MakeDir(never)
	if try == nil || make == nil || !strings.HasPrefix(try.Error(), "make folder "+never) || !strings.Contains(try.Error(), "set PODIUM_HOME") {
		t.Errorf("tried: %v\nmade: %v", try, make)
	}
	above := t.TempDir()
	if err := config.TryDir(filepath.Join(above, "a", "b")); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(above); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
