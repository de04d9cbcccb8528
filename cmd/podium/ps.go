package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"podium.local/config"
	"podium.local/protocol"
	"podium.local/session"
	"podium.local/store"
	"podium.local/studio"
)

func newPSCommand(a *app) *cobra.Command {
	var storeFile string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "ps",
		Short: "every pod: name, state, session, age, cost, clients, folder",
		Long: `List the pods that are alive, with what they are doing.

--all lists ended ones too; podium run NAME continues their sessions. A pod
whose process was killed is listed as dead until something takes its name; one
of another host, which can be reached there only, is unresponsive and has the
name of that host.

TOKENS and COST are those of the current session: a compaction begins another.
SESSION is the end of its id, which commands take for it.`,
		Args: argsUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			pods, err := a.listPods(cmd, storeFile, all)
			if err != nil {
				return err
			}
			if asJSON {
				return printPodsJSON(a, pods)
			}
			return printPods(a, pods, time.Now())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a pod")
	cmd.Flags().BoolVarP(&all, "all", "a", false, "list ended pods too")
	registerStoreFlag(cmd, &storeFile)
	return cmd
}

// podReport is what ps says of a pod. Times are Unix seconds; a cost of null
// is unknown.
type podReport struct {
	Name string `json:"name"`
	// Host is the other machine that the pod was recorded on; pid says nothing
	// here then.
	Host         string   `json:"host,omitempty"`
	PodID        string   `json:"pod_id"`
	State        string   `json:"state"`
	SessionID    string   `json:"session_id"`
	PID          int      `json:"pid,omitempty"`
	Model        string   `json:"model"`
	StartedAt    float64  `json:"started_at"`
	EndedAt      *float64 `json:"ended_at"`
	InputTokens  *int64   `json:"input_tokens"`
	OutputTokens *int64   `json:"output_tokens"`
	CostUSD      *float64 `json:"cost_usd"`
	CostPartial  bool     `json:"cost_partial"`
	// Clients are the others that are connected; null when the pod did not say.
	Clients *uint64 `json:"clients"`
	Cwd     string  `json:"cwd"`

	started time.Time
}

// stateEnded is the state of a pod that left its session.
const stateEnded = "ended"

// listPods joins what the store says with what is true of the processes: the
// row of a killed pod still says that it runs.
func (a *app) listPods(cmd *cobra.Command, storeFile string, all bool) ([]podReport, error) {
	paths, err := config.LocatePaths(a.lookupEnv)
	if err != nil {
		return nil, err
	}
	st, err := a.openStore(cmd.Context(), storeFile)
	if errors.Is(err, store.ErrAbsent) && storeFile == "" {
		return nil, nil // nothing was ever started here
	}
	if err != nil {
		return nil, err
	}
	defer st.Close()
	rows, err := st.Pods(cmd.Context())
	if err != nil {
		return nil, err
	}
	asked := livePods{run: paths.Run, name: clientName()}
	reports := make([]podReport, len(rows))
	var wg sync.WaitGroup
	for i, row := range rows {
		wg.Go(func() { reports[i] = reportPod(cmd.Context(), asked, row) })
	}
	wg.Wait()
	var pods []podReport
	for _, r := range reports {
		if all || r.State != stateEnded {
			pods = append(pods, r)
		}
	}
	return pods, nil
}

func reportPod(ctx context.Context, pods livePods, row session.Pod) podReport {
	r := podReport{
		Name: row.Name, PodID: row.ID.String(), State: string(row.Phase), SessionID: row.SessionID, Model: row.Model,
		StartedAt: session.UnixSeconds(row.StartedAt), InputTokens: row.InputTokens, OutputTokens: row.OutputTokens,
		CostUSD: row.CostUSD, CostPartial: row.CostPartial, Cwd: row.Cwd, started: row.StartedAt,
	}
	if !row.EndedAt.IsZero() {
		r.State = stateEnded
		ended := session.UnixSeconds(row.EndedAt)
		r.EndedAt = &ended
		return r
	}
	look := pods.Look(ctx, row)
	r.State, r.Clients = string(look.State), look.Clients
	if look.SessionID != "" {
		r.SessionID = look.SessionID
	}
	switch {
	case look.State == studio.PodDead:
	case ofOtherHost(row.Process):
		r.Host = row.Process.Host
	default:
		r.PID = row.Process.PID
	}
	return r
}

func printPodsJSON(a *app, pods []podReport) error {
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	for _, p := range pods {
		if err := enc.Encode(p); err != nil {
			return err
		}
	}
	return nil
}

func printPods(a *app, pods []podReport, now time.Time) error {
	if len(pods) == 0 {
		fmt.Fprintln(a.err, "no pods; podium run starts one in this folder")
		return nil
	}
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATE\tSESSION\tAGE\tTOKENS\tCOST\tCLIENTS\tMODEL\tFOLDER")
	for _, p := range pods {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", printable(p.Name), p.stateText(), protocol.ShortID(p.SessionID), age(now, p.started),
			tokens(p.InputTokens, p.OutputTokens), money(p.CostUSD, p.CostPartial), count(p.Clients), printable(p.Model), printable(p.Cwd))
	}
	return w.Flush()
}

// stateText is the state; of a pod that cannot be reached also its process or
// its host, which is all that is left to reach it by.
func (r podReport) stateText() string {
	switch {
	case r.State != string(studio.PodUnresponsive):
		return r.State
	case r.Host != "":
		return fmt.Sprintf("%s (host %s)", r.State, printable(r.Host))
	case r.PID != 0:
		return fmt.Sprintf("%s (pid %d)", r.State, r.PID)
	}
	return r.State
}

// tokens are the counts in and out; a dash is unknown.
func tokens(in, out *int64) string {
	if in == nil && out == nil {
		return "—"
	}
	return compact(in) + "/" + compact(out)
}

// count is a number; a dash is unknown.
func count(n *uint64) string {
	if n == nil {
		return "—"
	}
	return fmt.Sprint(*n)
}

// compact is a count in at most five characters.
func compact(n *int64) string {
	switch {
	case n == nil:
		return "—"
	case *n < 1000:
		return fmt.Sprint(*n)
	case *n < 1_000_000:
		return fmt.Sprintf("%d.%dk", *n/1000, *n/100%10)
	default:
		return fmt.Sprintf("%d.%dM", *n/1_000_000, *n/100_000%10)
	}
}
