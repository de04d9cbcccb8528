package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"podium.local/session"
	"podium.local/transcript"
)

func newImportSourceCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "source FILE OFFSET LENGTH SHA256",
		Short: "print a record of which only the beginning was kept",
		Long: `Print the bytes of a session file that an imported record stands for. A record that
was too long to be kept names its command line. The bytes are printed only when
they are still what was imported.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 4 {
				return usageErrorf("a source is a file, an offset, a length and a SHA-256; copy the command line that the record names")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if sum, err := hex.DecodeString(args[3]); err != nil || len(sum) != sha256.Size {
				return usageErrorf("%q is no SHA-256 of 64 hexadecimal digits; copy the command line that the record names", args[3])
			}
			src := session.Source{File: args[0], SHA256: strings.ToLower(args[3])}
			for i, n := range []*int64{&src.Offset, &src.Length} {
				var err error
				if *n, err = strconv.ParseInt(args[i+1], 10, 64); err != nil || *n < 0 {
					return usageErrorf("%q is no number of bytes; copy the command line that the record names", args[i+1])
				}
			}
			err := transcript.ReadSource(cmd.Context(), src, a.out)
			if errors.Is(err, transcript.ErrSourceGone) {
				return fmt.Errorf("%w; name the file where it is now, or a copy of it from then", err)
			}
			return err
		},
	}
	cmd.Flags().SetInterspersed(false) // a negative number is no flag
	return cmd
}
