package llmtest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podium.local/llm"
	"podium.local/rehearsal"
)

// conversation checks what goes out: the rehearsal server refuses what the
// vendor would refuse, and says what it understood.
func conversation(t *testing.T, s Subject) {
	t.Run("CallsAndResultsGoBack", func(t *testing.T) {
		st := s.stage(t, replies(
			rehearsal.Reply{Text: "Both.", Calls: []rehearsal.Call{{Name: "Read", Args: rehearsal.Args{"path": "a"}}, {Name: "List"}}},
			rehearsal.Reply{Text: "Thanks."},
		))
		req := prompt("Look around.")
		first := st.whole(req)
		calls := first.Calls()
		req.Messages = append(req.Messages, first.Message(),
			llm.Message{Role: llm.RoleUser, Blocks: []llm.Block{
				llm.ToolResult{CallID: calls[0].ID, Text: "no such file", IsError: true},
				llm.ToolResult{CallID: calls[1].ID, Text: ""},
			}},
			llm.Message{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text{Text: "The build is red."}}},
		)
		if got := st.whole(req).Text(llm.BlockText); got != "Thanks." {
			t.Errorf("got %q", got)
		}
		heard := st.server.Requests()[1]
		if !strings.Contains(heard.System, "Be brief.") {
			t.Errorf("the system prompt arrived as %q", heard.System)
		}
		if d := cmp.Diff([]string{"Read", "List"}, heard.Tools); d != "" {
			t.Error(d)
		}
		if heard.Turn != 2 {
			t.Errorf("the server counts turn %d, want 2", heard.Turn)
		}
		var results, said []string
		for _, m := range heard.Messages {
			for _, r := range m.Results {
				results = append(results, r.CallID+" "+r.Text)
			}
			said = append(said, m.Text)
		}
		if len(results) != 2 || !strings.HasPrefix(results[0], calls[0].ID) || !strings.Contains(results[0], "no such file") {
			t.Errorf("the results arrived as %q", results)
		}
		if all := strings.Join(said, "\n") + heard.System; !strings.Contains(all, "The build is red.") {
			t.Errorf("the system message in mid-conversation was lost; the server heard %q", all)
		}
	})
	t.Run("ReasoningGoesBackWithItsProof", func(t *testing.T) {
		st := s.stage(t, replies(
			rehearsal.Reply{Reasoning: "First look, then talk.", Calls: []rehearsal.Call{{Name: "List"}}},
			rehearsal.Reply{Text: "I looked."},
		))
		req := prompt("Think and look.")
		req.Effort = "low"
		first := st.whole(req)
		req.Messages = append(req.Messages, first.Message(), llm.Message{Role: llm.RoleUser, Blocks: []llm.Block{
			llm.ToolResult{CallID: first.Calls()[0].ID, Text: "a b c"},
		}})
		if got := st.whole(req).Text(llm.BlockText); got != "I looked." {
			t.Errorf("got %q", got)
		}
		if !s.Proof {
			return
		}
		var back []string
		for _, m := range st.server.Requests()[1].Messages {
			if m.Reasoning != "" {
				back = append(back, m.Reasoning)
			}
		}
		if d := cmp.Diff([]string{"First look, then talk."}, back); d != "" {
			t.Error(d)
		}
	})
	t.Run("ForeignReasoningIsLeftOut", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "Fine."}))
		req := prompt("Hello.")
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{
				llm.Reasoning{Text: "a stranger's thought", Opaque: []byte(`{"another_vendor":{"signature":"x"}}`)},
				llm.Reasoning{Text: "an unsigned thought"},
				llm.Text{Text: "Hi."},
			}},
			llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Reasoning{Text: "alone"}}},
			llm.Message{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text{Text: "And?"}, llm.Text{Text: "  \n"}}},
		)
		st.whole(req)
		for _, m := range st.server.Requests()[0].Messages {
			if m.Reasoning != "" {
				t.Errorf("the server heard the thought %q", m.Reasoning)
			}
		}
	})
	t.Run("LimitsAndTemperature", func(t *testing.T) {
		st := s.stage(t, replies(rehearsal.Reply{Text: "Short."}))
		req := prompt("Hello.")
		warmth := 0.5
		req.MaxTokens, req.Temperature, req.CacheKey = 321, &warmth, "conversation-1"
		st.whole(req)
		heard := st.server.Requests()[0]
		if heard.MaxTokens != 321 {
			t.Errorf("the server heard a limit of %d tokens, want 321", heard.MaxTokens)
		}
		if !strings.Contains(string(heard.Body), `"temperature":0.5`) {
			t.Errorf("the temperature is not in %s", heard.Body)
		}
	})
	t.Run("BadPartsAreRefusedBeforeTheyAreSent", func(t *testing.T) {
		st := s.stage(t, &rehearsal.Script{})
		badCall := prompt("Hello.")
		badCall.Messages = append(badCall.Messages, llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{
			llm.ToolCall{ID: "c1", Name: "Read", Arguments: []byte(`["not an object"]`)},
		}})
		badTool := prompt("Hello.")
		badTool.Tools = []llm.ToolSpec{{Name: "Read", Schema: []byte(`{"type":`)}}
		for name, req := range map[string]llm.Request{"call": badCall, "tool": badTool} {
			r := st.say(req)
			wantKind(t, r.Err, llm.ErrorInvalid, 0)
			if r.Err != nil && !strings.Contains(r.Err.Error(), "Read") {
				t.Errorf("%s: the error does not name the culprit: %v", name, r.Err)
			}
		}
		if n := len(st.server.Requests()); n != 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
}
