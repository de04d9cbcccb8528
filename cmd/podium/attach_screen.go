package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"podium.local/config"
	"podium.local/pod"
	"podium.local/session"
	"podium.local/tui"
)

// screenTail is how many history items are asked for at first; older ones
// come when somebody scrolls there.
const screenTail = 200

// attachScreen shows a pod on the terminal until the person leaves.
func (a *app) attachScreen(ctx context.Context, to target) error {
	connect := func(ctx context.Context) (tui.Pod, error) {
		tail := uint64(screenTail)
		s, err := a.dialTarget(ctx, to, &tail, 0)
		if err != nil {
			return nil, err // a nil *Session would not be a nil Pod
		}
		return s, nil
	}
	o := tui.Options{
		Connect: connect, Name: to.name, Client: clientName(),
		Editor: a.editor(), ASCII: !a.unicode(), Light: strings.HasSuffix(a.getenv("COLORFGBG"), ";15"),
	}
	if to.name != "" {
		o.Spent = func(ctx context.Context, session string) (tui.Spent, error) {
			return a.spentBefore(ctx, a.storeOf(to.name), session)
		}
		o.Log = func(ctx context.Context, session, first, last string) ([]tui.Fact, error) {
			return a.logFacts(ctx, a.storeOf(to.name), session, first, last)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find the working folder: %w", err)
	}
	if to.name != "" {
		row := a.podRow(ctx, to.name)
		o.Model, o.Continue = row.Model, "podium run "+to.name
		if row.Cwd != "" {
			dir, o.Dir = row.Cwd, row.Cwd
		}
		o.Start = to.revive
		if o.Start == nil && row.Cwd != "" {
			o.Start = func(ctx context.Context) error { return a.revive(ctx, to.name, "--dir", row.Cwd) }
		}
	}
	o.Files = func(ctx context.Context) ([]string, error) { return projectFiles(ctx, dir) }
	if paths, err := config.LocatePaths(a.lookupEnv); err == nil {
		o.History = newInputHistory(paths.Data, dir)
	}
	farewell, err := tui.Attach(ctx, tui.Terminal{In: a.in, Out: a.out, Environ: a.environ}, o)
	if farewell != "" {
		fmt.Fprintln(a.err, farewell)
	}
	return err
}

// podRow is what the store knows of a pod; the zero value when it knows
// nothing.
func (a *app) podRow(ctx context.Context, name string) session.Pod {
	st, err := a.openStore(ctx, a.storeOf(name))
	if err != nil {
		return session.Pod{}
	}
	defer st.Close()
	row, err := st.PodByName(ctx, name)
	if err != nil {
		return session.Pod{}
	}
	return row
}

// revive starts an ended pod again, unless somebody else did. The arguments
// say what the configuration does not.
func (a *app) revive(ctx context.Context, name string, args ...string) error {
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return err
	}
	socket, err := pod.SocketPath(paths.Run, name)
	if err != nil {
		return err
	}
	if socketAnswers(ctx, socket) {
		return nil
	}
	if err := paths.MakeRun(); err != nil {
		return err
	}
	_, err = a.startPod(ctx, paths, name, append([]string{"pod", "--name", name}, args...))
	return err
}

// editor is the person's editor as a command.
func (a *app) editor() []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(a.getenv(name)); len(words) > 0 {
			return words
		}
	}
	return nil
}

// unicode reports whether the terminal can be trusted with more than ASCII.
func (a *app) unicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(a.getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return false
}

// projectFilesMost bounds what completion offers.
const projectFilesMost = 20_000

var errEnough = errors.New("enough files")

// projectFiles lists the files below dir, leaving out hidden folders and
// those that hold what was installed or built.
func projectFiles(ctx context.Context, dir string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && path == dir:
			return err
		case err != nil:
			return nil // a folder that may not be read offers nothing
		case d.IsDir():
			name := d.Name()
			if path != dir && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "target") {
				return filepath.SkipDir
			}
			return nil
		case len(files) == projectFilesMost:
			return errEnough
		}
		if rel, err := filepath.Rel(dir, path); err == nil {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, fmt.Errorf("list the files of %s: %w", dir, err)
	}
	return files, nil
}
