package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"podium.local/pod"
	"podium.local/session"
)

// ofOtherHost reports whether a process was recorded under another host name,
// so that its number says nothing here.
func ofOtherHost(p session.Process) bool {
	host, err := os.Hostname()
	return err == nil && p.Host != "" && p.Host != host
}

// onOtherHost says which host a process is of when it is not this one.
func onOtherHost(host string) string {
	if !ofOtherHost(session.Process{Host: host}) {
		return ""
	}
	return " of host " + printable(host)
}

// surelyLives takes a process for alive only when it surely is. Whoever
// replaces the store asks so: a pod that lives has the file open, which the
// file's own locks tell under any host name.
func surelyLives(p session.Process) bool { return pod.Probe(p) == pod.Alive }

// elsewhere deals with a pod of another host: it is closed when that was asked
// for and nobody holds its name here, else it is said how to.
func (t *tidy) elsewhere(ctx context.Context, row session.Pod) error {
	text := fmt.Sprintf("pod %s is of host %s, started %s", printable(row.Name), printable(row.Process.Host), row.StartedAt.Local().Format(time.DateTime))
	folders := []string{filepath.Join(t.paths.Run, row.Name)}
	if row.Socket != "" {
		folders = append(folders, filepath.Dir(row.Socket))
	}
	for _, dir := range folders {
		held, err := pod.Held(dir)
		if err != nil || held {
			return errors.Join(err, t.note("%s, and a process holds its name on this machine: it is left alone", text))
		}
	}
	if !t.otherHosts {
		return t.note("%s, and nothing on this machine holds its name; when that host is gone, podium gc --other-hosts closes its session", text)
	}
	return t.closeDead(ctx, row, "it is of host "+printable(row.Process.Host))
}

func (t *tidy) note(format string, args ...any) error {
	_, err := fmt.Fprintf(t.err, "podium: notice: "+format+"\n", args...)
	return err
}
