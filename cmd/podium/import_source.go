package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/transcript"
)

func newImportSourceCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "source FILE OFFSET LENGTH SHA256",
		Short: "print a record of which only the beginning was kept",
		Long: `Print the bytes of a session file that an imported record stands for. A record that
was too long to be kept names its command line. The bytes are printed only when
they are still what was imported.`,
		Args: argsUsage(cobra.ExactArgs(4)),
		RunE: func(cmd *cobra.Command, args []string) error {
			src := session.Source{File: args[0], SHA256: args[3]}
			for i, n := range []*int64{&src.Offset, &src.Length} {
				var err error
				if *n, err = strconv.ParseInt(args[i+1], 10, 64); err != nil || *n < 0 {
					return usageErrorf("%q is no number of bytes; copy the command line that the record names", args[i+1])
				}
			}
			return transcript.ReadSource(cmd.Context(), src, a.out)
		},
	}
}
