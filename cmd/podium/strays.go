package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"syscall"
	"time"

	"podium.local/pod"
	"podium.local/protocol"
	"podium.local/tool/builtin"
)

// podTag tells a pod from every other on this machine, also from one of the
// same name below another PODIUM_HOME or in a container: it stands for the run
// folder itself, which must exist.
func podTag(runDir, name string) (string, error) {
	info, err := os.Stat(runDir)
	if err != nil {
		return "", fmt.Errorf("look at the folder for sockets: %w", err)
	}
	place := runDir
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		place = fmt.Sprintf("%s:%d:%d", runDir, st.Dev, st.Ino)
	}
	sum := sha256.Sum256([]byte(place))
	return fmt.Sprintf("%s@%x", name, sum[:8]), nil
}

// endStrays ends what commands of an earlier process of the pod left running
// when that process was killed, and says so. After an orderly end nothing is
// touched: what a command detached on purpose may stay.
func endStrays(runDir, name, tag string) []protocol.Notification {
	crashed := func() bool {
		found, ok, err := pod.Find(runDir, name)
		return err == nil && ok && !found.Held && found.PID != 0
	}
	if !crashed() {
		return nil
	}
	n := builtin.EndStrays(tag, crashed)
	if n == 0 {
		return nil
	}
	text := fmt.Sprintf("%d processes that commands left running when the pod was killed were ended", n)
	if n == 1 {
		text = "1 process that a command left running when the pod was killed was ended"
	}
	return []protocol.Notification{{
		Level: protocol.LevelWarn, Source: protocol.SourcePod, Message: text, TimestampMS: time.Now().UnixMilli(),
	}}
}
