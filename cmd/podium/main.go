// Command podium hosts long-running agents on this machine and keeps every
// session findable. It is the only place where the parts of Podium meet: one
// file a subcommand.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(execute())
}

// execute runs the command line of this process and returns its exit code:
// 0 success, 1 failure, 2 usage, 130 cancelled.
func execute() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once, whatever it waits for.
	context.AfterFunc(ctx, stop)
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}
	return a.run(ctx, os.Args[1:])
}
