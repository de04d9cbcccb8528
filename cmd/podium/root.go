package main

import (
	"github.com/spf13/cobra"
)

// newRootCommand joins the subcommands. Each is a file of its own with a
// constructor newXCommand(a).
func newRootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "podium",
		Short:         "long-running agents on your machine, every session findable",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageErrorf("unknown command %q; podium --help lists the commands", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.hasScreen() {
				return a.pick(cmd)
			}
			if a.hasTerminal() {
				return a.listPlainly(cmd)
			}
			return cmd.Help()
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageErrorf("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(
		newAttachCommand(a),
		newDemoCommand(a),
		newDoctorCommand(a),
		newGCCommand(a),
		newHistoryCommand(a),
		newImportCommand(a),
		newKeyringCommand(a),
		newLogsCommand(a),
		newPodCommand(a),
		newPSCommand(a),
		newRehearseCommand(a),
		newRemoveCommand(a),
		newRunCommand(a),
		newSessionsCommand(a),
		newStopCommand(a),
		newStoreCommand(a),
		newStudioCommand(a),
		newTrustCommand(a),
		newVersionCommand(a),
	)
	root.AddCommand(newControlCommands(a)...)
	return root
}
