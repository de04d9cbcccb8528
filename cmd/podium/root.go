package main

import (
	"strings"

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
	root.SetFlagErrorFunc(flagUsage)
	root.Version = buildVersion()
	root.SetVersionTemplate(versionLine())
	root.SetHelpCommand(newHelpCommand())
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

// addCompletion adds the command that makes scripts for shells; for a shell
// that it does not know it is a usage error.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args, c.RunE = argsUsage(cobra.NoArgs), func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// newHelpCommand is the help of a command; of one that there is not it is a
// usage error.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]...",
		Short: "help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageErrorf("there is no command %q; %s --help lists them", strings.Join(args, " "), about.CommandPath())
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
