package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/pod"
)

func newLogsCommand(a *app) *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "logs NAME",
		Short: "what a pod's process wrote to its log",
		Args:  argsUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := pod.CheckName(args[0]); err != nil {
				return usageErrorf("%w", err)
			}
			paths, err := config.LocatePaths(a.lookupEnv)
			if err != nil {
				return err
			}
			path := filepath.Join(paths.Run, args[0], "pod.log")
			f, err := os.Open(path)
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("pod %s has no log: it was started in the foreground, or there is no such pod; podium ps lists the pods", args[0])
			}
			if err != nil {
				return fmt.Errorf("read the log of pod %s: %w", args[0], err)
			}
			defer f.Close()
			if _, err := io.Copy(a.out, f); err != nil {
				return fmt.Errorf("read the log of pod %s: %w", args[0], err)
			}
			if !follow {
				return nil
			}
			return followFile(cmd.Context(), a.out, f)
		},
	}
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as the log grows, until interrupted")
	return cmd
}

// followFile copies what is appended to f until ctx ends. The log is only ever
// appended to, so a short pause between two looks is all that is needed.
func followFile(ctx context.Context, out io.Writer, f *os.File) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(200 * time.Millisecond):
		}
		if _, err := io.Copy(out, f); err != nil {
			return fmt.Errorf("follow the log: %w", err)
		}
	}
}
