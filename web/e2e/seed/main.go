package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"podium.local/store"
)

func main() {
	path := flag.String("store", "", "store file to make and fill")
	rows := flag.Int("sessions", 20_000, "sessions that are only rows of the listing")
	copies := flag.Int("copies", 0, "repeat every session so often, in a store that was filled before")
	now := flag.Int64("now", time.Now().Unix(), "the newest time of the history, in Unix seconds")
	entries := flag.Int("long", 0, "instead of the usual conversations: one of so many entries, and one of large ones")
	say := flag.String("say", "", "let the session that runs say this, in a store that was filled before")
	pod := flag.String("pod", runningPod, "the pod that says it")
	hostile := flag.Bool("hostile", false, "make a store whose names, projects and tags are against the page, and nothing else")
	flag.Parse()
	var err error
	switch {
	case *hostile:
		err = hostileRows(context.Background(), *path, time.Unix(*now, 0).UTC())
	case *copies > 0:
		err = copyRows(*path, *copies)
	case *say != "":
		err = sayMore(context.Background(), *path, *pod, *say, time.Unix(*now, 0).UTC())
	default:
		err = run(context.Background(), *path, *rows, *entries, time.Unix(*now, 0).UTC())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "seed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, path string, rows, entries int, now time.Time) (err error) {
	if path == "" {
		return errors.New("name the store to fill with -store")
	}
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s exists already; name a file that does not", path)
	}
	w := &writer{ctx: ctx, now: now, clock: now}
	w.store, err = store.Create(ctx, path, store.Options{Bulk: true, Now: func() time.Time { return w.clock }})
	if err != nil {
		return err
	}
	if entries > 0 {
		w.large()
		w.long(entries)
		err = w.err
	} else {
		err = w.conversations()
	}
	if err = errors.Join(err, w.store.Close()); err != nil {
		return err
	}
	return fillRows(path, rows, now)
}

// sayMore takes up a session that still runs.
func sayMore(ctx context.Context, path, pod, text string, now time.Time) (err error) {
	s, err := store.Open(ctx, path, store.Options{Now: func() time.Time { return now }})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	w := &writer{ctx: ctx, store: s, now: now, clock: now}
	w.start(pod, 0, "claude-sonnet-5", "anthropic", "shop", "").says(text)
	return w.err
}
