package studio_test

import (
	"testing"

	"podium.local/protocol"
	"podium.local/session"
	"podium.local/studio"
)

func TestAttention_APodWaitsForItsPersonOrDoesNot(t *testing.T) {
	end := func(result protocol.RunResult, reason string) *session.RunEnd {
		return &session.RunEnd{Result: result, Reason: reason}
	}
	tests := []struct {
		name string
		pod  studio.PodFacts
		want string
	}{
		{"idle and new", studio.PodFacts{State: protocol.StateIdle, Since: 5}, ""},
		{"idle with a finished run", studio.PodFacts{State: protocol.StateIdle, Since: 5, LastRun: end(protocol.RunFinished, ""), LastRunAt: 5}, ""},
		{"running", studio.PodFacts{State: protocol.StateRunning, Since: 5}, ""},
		{"compacting", studio.PodFacts{State: protocol.StateCompacting, Since: 5}, ""},
		{"paused", studio.PodFacts{State: protocol.StatePaused, Since: 5, LastRun: end(protocol.RunPaused, ""), LastRunAt: 4}, "paused 5.0"},
		{"paused after compaction was switched off", studio.PodFacts{State: protocol.StatePaused, Since: 5, CompactionOff: 2}, "paused 5.0"},
		{"failed", studio.PodFacts{State: protocol.StateIdle, Since: 6, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5}, "failed 5.0"},
		{"failed by a restart", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunFailed, "pod_restarted"), LastRunAt: 5}, "failed 5.0"},
		{"failed and compacting since", studio.PodFacts{State: protocol.StateCompacting, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5}, "failed 5.0"},
		{"thrash", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunFailed, session.ReasonThrash), LastRunAt: 5}, "thrash 5.0"},
		{"limit", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunLimitReached, ""), LastRunAt: 5}, "limit 5.0"},
		{"cancelled by its person", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunCancelled, ""), LastRunAt: 5}, ""},
		{"rolled back by its person", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunRolledBack, ""), LastRunAt: 5}, ""},
		{"failed, and an input came", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5, InputAt: 6}, ""},
		{"failed, and the next run goes on", studio.PodFacts{State: protocol.StateRunning, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5}, ""},
		{"failed after an input", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5, InputAt: 4}, "failed 5.0"},
		{"compaction off and idle", studio.PodFacts{State: protocol.StateIdle, CompactionOff: 7}, "compaction_off 7.0"},
		{"compaction off while it runs", studio.PodFacts{State: protocol.StateRunning, CompactionOff: 7, InputAt: 3}, "compaction_off 7.0"},
		{"compaction off, and an input came", studio.PodFacts{State: protocol.StateIdle, CompactionOff: 7, InputAt: 8}, ""},
		{"failed, then compaction off", studio.PodFacts{State: protocol.StateIdle, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5, CompactionOff: 7}, "failed 5.0"},
		{"dead after a failed run", studio.PodFacts{State: studio.PodDead, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5}, ""},
		{"silent after a failed run", studio.PodFacts{State: studio.PodUnresponsive, LastRun: end(protocol.RunFailed, ""), LastRunAt: 5}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := studio.AttendsPod(tt.pod); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestAttention_ASessionWaitsByItsStatusAlone(t *testing.T) {
	for status, want := range map[string]string{
		"needs_review": "needs_review 9.0", "blocked": "blocked 9.0", "gated": "gated 9.0",
		"running": "", "failed": "", "timed_out": "", "aborted": "", "completed": "", "queued": "", "": "", "BLOCKED": "",
	} {
		if got := studio.AttendsRow(session.Row{Status: ptr(status), CreatedAt: 3, UpdatedAt: ptr(9.0)}); got != want {
			t.Errorf("%s: %q, want %q", status, got, want)
		}
	}
	if got := studio.AttendsRow(session.Row{Status: ptr("gated"), CreatedAt: 3}); got != "gated 3.0" {
		t.Errorf("without an update: %q", got)
	}
	if got := studio.AttendsRow(session.Row{}); got != "" {
		t.Errorf("without a status: %q", got)
	}
}
