package transcript

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchOptions say how a tool's folder is followed.
type WatchOptions struct {
	Options
	// Sweep is the pause between two looks through the whole folder where changes
	// are not notified; 0 is a minute.
	Sweep time.Duration
	// Poll never asks for notifications.
	Poll bool
	// Settled is called after every import, the first one included. An error of
	// the sink that may pass (err) does not end the watch.
	Settled func(r Report, err error)
	// Notice is called with what the user should know; nil for nobody.
	Notice func(text string)
}

// A change is imported when nothing changed for quiet, and after patience at
// the latest.
const (
	quiet    = 250 * time.Millisecond
	patience = 2 * time.Second
)

// watcher follows one tool's folder.
type watcher struct {
	opts WatchOptions
	sink Sink
	// notify is nil while the folder is only swept.
	notify *fsnotify.Watcher
	// changed are the files to be looked at, dirty that this may not be all.
	changed map[string]bool
	dirty   bool
}

// Watch imports what is new in a tool's folder and goes on as its files grow,
// until ctx ends; it then returns nil. Where the system notifies of changes
// nothing is read while nothing changes.
func Watch(ctx context.Context, sink Sink, opts WatchOptions) (err error) {
	if opts.Sweep <= 0 {
		opts.Sweep = time.Minute
	}
	if opts.Notice == nil {
		opts.Notice = func(string) {}
	}
	w := &watcher{opts: opts, sink: sink, changed: make(map[string]bool), dirty: true}
	if !opts.Poll {
		if w.notify, err = fsnotify.NewWatcher(); err != nil {
			w.sweepOnly(err)
		}
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err = w.importAll(ctx); err == nil {
		err = w.follow(ctx)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (w *watcher) close() error {
	if w.notify == nil {
		return nil
	}
	return w.notify.Close()
}

// sweepOnly gives notifications up.
func (w *watcher) sweepOnly(cause error) {
	w.opts.Notice(fmt.Sprintf("changes below %s are not notified (%v); looking every %s", w.opts.Dir, cause, w.opts.Sweep))
	if w.notify != nil {
		_ = w.notify.Close() // given up already
	}
	w.notify = nil
}

// importAll looks through the whole folder. Folders are watched before they
// are read, so that no change falls between.
func (w *watcher) importAll(ctx context.Context) error {
	w.dirty = false
	clear(w.changed)
	t, err := look(ctx, w.opts.Tool, w.opts.Dir)
	if err != nil {
		return err
	}
	if w.notify != nil {
		for _, folder := range t.folders {
			if err := w.notify.Add(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.sweepOnly(err)
				break
			}
		}
		if t, err = look(ctx, w.opts.Tool, w.opts.Dir); err != nil {
			return err
		}
	}
	return w.settle(ctx, t)
}

// importChanged reads the files that were notified.
func (w *watcher) importChanged(ctx context.Context) error {
	var t tree
	names := make([]string, 0, len(w.changed))
	for path := range w.changed {
		names = append(names, path)
		t.stats++
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			t.trouble(path, err)
		case info.Mode().IsRegular():
			t.files = append(t.files, foundAt(path, info))
		}
	}
	clear(w.changed)
	return w.settle(ctx, t, names...)
}

func (w *watcher) settle(ctx context.Context, t tree, names ...string) error {
	i := newImporter(w.sink, w.opts.Options)
	start := i.opts.Now()
	err := i.readTree(ctx, t, names...)
	i.report.Seconds = i.opts.Now().Sub(start).Seconds()
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		w.dirty = true // what was not stored is found by the next look
	}
	if w.opts.Settled != nil {
		w.opts.Settled(i.report, err)
	}
	return nil
}

// follow waits for changes and imports them.
func (w *watcher) follow(ctx context.Context) error {
	sweep := time.NewTicker(w.opts.Sweep)
	defer sweep.Stop()
	due := time.NewTimer(0)
	if !due.Stop() {
		<-due.C
	}
	defer due.Stop()
	var since time.Time // of the oldest change that waits
	for {
		var events chan fsnotify.Event
		var failures chan error
		if w.notify != nil {
			events, failures = w.notify.Events, w.notify.Errors
		}
		select {
		case <-ctx.Done():
			return nil
		case e := <-events:
			if !w.note(e) {
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			due.Reset(max(0, min(quiet, patience-time.Since(since))))
		case err := <-failures:
			w.dirty = true
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				w.sweepOnly(err)
			}
			due.Reset(quiet)
		case <-due.C:
			since = time.Time{}
			if err := w.importDue(ctx); err != nil {
				return err
			}
		case <-sweep.C:
			if w.notify == nil || w.dirty {
				if err := w.importAll(ctx); err != nil {
					return err
				}
			}
		}
	}
}

func (w *watcher) importDue(ctx context.Context) error {
	if w.dirty {
		return w.importAll(ctx)
	}
	return w.importChanged(ctx)
}

// note takes a change up; it reports whether there is something to import.
func (w *watcher) note(e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	switch {
	case e.Has(fsnotify.Create) && !w.opts.Tool.session(name):
		if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
			w.dirty = true // files may be in it already
			return true
		}
	case w.opts.Tool.session(name) && !e.Has(fsnotify.Chmod):
		w.changed[e.Name] = true
		return true
	}
	return false
}
