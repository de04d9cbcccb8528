package protocol_test

import (
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"podium.local/protocol"
)

// Generators of every method and event with valid UTF-8 texts, in the form
// that decoding gives back.

var (
	genText = rapid.String()
	genID   = rapid.StringN(1, 20, 64)
	genUint = rapid.Uint64()
)

func ptr[T any](g *rapid.Generator[T]) *rapid.Generator[*T] { return rapid.Ptr(g, true) }

// word draws a known word or any other.
func word[W ~string](known ...W) *rapid.Generator[W] {
	return rapid.OneOf(rapid.SampledFrom(known), rapid.Map(genText, func(s string) W { return W(s) }))
}

func genUUID(t *rapid.T) (id [16]byte) {
	copy(id[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "uuid"))
	return id
}

var genRaw = rapid.Custom(func(t *rapid.T) jsontext.Value {
	text, err := jsontext.AppendQuote([]byte(`{ "x" : [1.0, `), genText.Draw(t, "raw"))
	if err != nil {
		t.Fatal(err)
	}
	return append(text, "]}"...)
})

var genScope = rapid.Custom(func(t *rapid.T) protocol.ScopeRule {
	return protocol.ScopeRule{
		Target:     genText.Draw(t, "target"),
		Permission: rapid.SampledFrom([]protocol.Permission{protocol.PermissionRead, protocol.PermissionWrite}).Draw(t, "permission"),
		Recursive:  rapid.Bool().Draw(t, "recursive"),
	}
})

// genParams makes each method, by tag.
var genParams = map[string]func(*rapid.T) protocol.MethodParams{
	protocol.MethodRun:        func(t *rapid.T) protocol.MethodParams { return protocol.Run{Input: genText.Draw(t, "input")} },
	protocol.MethodNotify:     func(t *rapid.T) protocol.MethodParams { return protocol.Notify{Message: genText.Draw(t, "message")} },
	protocol.MethodResume:     func(*rapid.T) protocol.MethodParams { return protocol.Resume{} },
	protocol.MethodCancel:     func(*rapid.T) protocol.MethodParams { return protocol.Cancel{} },
	protocol.MethodPause:      func(*rapid.T) protocol.MethodParams { return protocol.Pause{} },
	protocol.MethodShutdown:   func(*rapid.T) protocol.MethodParams { return protocol.Shutdown{} },
	protocol.MethodGetHistory: func(*rapid.T) protocol.MethodParams { return protocol.GetHistory{} },
	protocol.MethodCompact:    func(*rapid.T) protocol.MethodParams { return protocol.Compact{} },
	protocol.MethodPodEvent: func(t *rapid.T) protocol.MethodParams {
		name, message := genText.Draw(t, "pod_name"), genText.Draw(t, "message")
		return rapid.SampledFrom([]protocol.PodEvent{
			{Kind: protocol.PodEventTurnEnded, PodName: name},
			{Kind: protocol.PodEventErrored, PodName: name, Message: message},
			{Kind: protocol.PodEventShutDown, PodName: name},
			{
				Kind: protocol.PodEventScopeSubDelegated, ParentPod: name, SubPod: message, SubSocket: "/" + name,
				Scope: rapid.SliceOf(genScope).Draw(t, "scope"),
			},
		}).Draw(t, "pod_event")
	},
	protocol.MethodHello: func(t *rapid.T) protocol.MethodParams {
		h := protocol.Hello{
			ProtocolVersion: protocol.ProtocolVersion, Client: genText.Draw(t, "client"),
			Since: ptr(genUint).Draw(t, "since"), Tail: ptr(genUint).Draw(t, "tail"),
		}
		if rapid.Bool().Draw(t, "has pod_id") {
			id := protocol.PodID(genUUID(t))
			h.PodID = &id
		}
		return h
	},
	protocol.MethodGetEntries: func(t *rapid.T) protocol.MethodParams {
		return protocol.GetEntries{Before: ptr(genText).Draw(t, "before"), Limit: ptr(genUint).Draw(t, "limit")}
	},
}

var genMethod = rapid.Custom(func(t *rapid.T) protocol.Method {
	tag := rapid.SampledFrom(sortedKeys(genParams)).Draw(t, "method")
	m := protocol.Method{Params: genParams[tag](t)}
	if rapid.Bool().Draw(t, "has request_id") {
		m.RequestID = genID.Draw(t, "request_id")
	}
	return m
})

var genUsage = rapid.Custom(func(t *rapid.T) protocol.Usage {
	u := protocol.Usage{InputTokens: ptr(genUint).Draw(t, "input"), OutputTokens: ptr(genUint).Draw(t, "output")}
	if rapid.Bool().Draw(t, "extra") {
		u.Extra = &protocol.UsageExtra{
			CacheReadTokens: genUint.Draw(t, "read"), CacheWriteTokens: genUint.Draw(t, "write"),
			ReasoningTokens: genUint.Draw(t, "reasoning"), CostUSD: ptr(rapid.Float64()).Draw(t, "cost"),
			ContextTokens: genUint.Draw(t, "context"), ContextLimit: ptr(genUint).Draw(t, "limit"),
		}
	}
	u.CostPartial = rapid.Bool().Draw(t, "partial")
	return u
})

var genLive = rapid.Custom(func(t *rapid.T) protocol.Live {
	return protocol.Live{
		InFlight: rapid.SliceOf(rapid.Custom(func(t *rapid.T) protocol.OpenBlock {
			return protocol.OpenBlock{
				Kind: word(protocol.BlockText, protocol.BlockReasoning, protocol.BlockToolCall).Draw(t, "kind"),
				ID:   genText.Draw(t, "id"), Name: genText.Draw(t, "name"), Text: genText.Draw(t, "text"),
			}
		})).Draw(t, "in_flight"),
		Pending: rapid.SliceOf(genRaw).Draw(t, "pending"),
		Usage:   genUsage.Draw(t, "usage"),
	}
})

var genState = word(protocol.StateIdle, protocol.StateRunning, protocol.StatePaused, protocol.StateCompacting)

// genData makes each event, by tag; "" makes unknown ones.
var genData = map[string]func(*rapid.T) protocol.EventData{
	protocol.EventTurnStart: func(t *rapid.T) protocol.EventData { return protocol.TurnStart{Turn: genUint.Draw(t, "turn")} },
	protocol.EventTurnEnd: func(t *rapid.T) protocol.EventData {
		return protocol.TurnEnd{
			Turn: genUint.Draw(t, "turn"), Result: word(protocol.TurnFinished, protocol.TurnPaused).Draw(t, "result"),
			EntryID: genText.Draw(t, "entry_id"),
		}
	},
	protocol.EventTextDelta: func(t *rapid.T) protocol.EventData { return protocol.TextDelta{Text: genText.Draw(t, "text")} },
	protocol.EventTextDone: func(t *rapid.T) protocol.EventData {
		return protocol.TextDone{Text: genText.Draw(t, "text"), EntryID: genText.Draw(t, "entry_id")}
	},
	protocol.EventToolCallStart: func(t *rapid.T) protocol.EventData {
		return protocol.ToolCallStart{ID: genText.Draw(t, "id"), Name: genText.Draw(t, "name")}
	},
	protocol.EventToolCallArgsDelta: func(t *rapid.T) protocol.EventData {
		return protocol.ToolCallArgsDelta{ID: genText.Draw(t, "id"), JSON: genText.Draw(t, "json")}
	},
	protocol.EventToolCallDone: func(t *rapid.T) protocol.EventData {
		return protocol.ToolCallDone{
			ID: genText.Draw(t, "id"), Name: genText.Draw(t, "name"), Arguments: genText.Draw(t, "arguments"),
			EntryID: genText.Draw(t, "entry_id"),
		}
	},
	protocol.EventToolResult: func(t *rapid.T) protocol.EventData {
		return protocol.ToolResult{
			ID: genText.Draw(t, "id"), Output: rapid.OneOf(genText, rapid.StringN(0, 300, -1)).Draw(t, "output"),
			IsError: rapid.Bool().Draw(t, "is_error"), Summary: ptr(genText).Draw(t, "summary"),
			EntryID: genText.Draw(t, "entry_id"),
		}
	},
	protocol.EventUsage: func(t *rapid.T) protocol.EventData { return genUsage.Draw(t, "usage") },
	protocol.EventRunEnd: func(t *rapid.T) protocol.EventData {
		return protocol.RunEnd{
			Result: word(protocol.RunFinished, protocol.RunPaused, protocol.RunLimitReached, protocol.RunCancelled,
				protocol.RunFailed, protocol.RunRolledBack).Draw(t, "result"),
			Error: genText.Draw(t, "error"), EntryID: genText.Draw(t, "entry_id"),
		}
	},
	protocol.EventError: func(t *rapid.T) protocol.EventData {
		return protocol.Error{
			Code: word(protocol.CodeAlreadyRunning, protocol.CodeNotRunning, protocol.CodeNotPaused,
				protocol.CodeProviderError, protocol.CodeToolError, protocol.CodeInternal,
				protocol.CodeUnsupportedVersion).Draw(t, "code"),
			Message: genText.Draw(t, "message"),
		}
	},
	protocol.EventHistory: func(t *rapid.T) protocol.EventData {
		return protocol.History{
			Items: rapid.SliceOf(genRaw).Draw(t, "items"),
			Greeting: protocol.Greeting{
				PodName: genText.Draw(t, "pod_name"), Cwd: genText.Draw(t, "cwd"), Provider: genText.Draw(t, "provider"),
				Model: genText.Draw(t, "model"), ScopeSummary: genText.Draw(t, "scope_summary"),
				Tools: rapid.SliceOf(genText).Draw(t, "tools"),
			},
		}
	},
	protocol.EventNotification: func(t *rapid.T) protocol.EventData {
		return protocol.Notification{
			Level: word(protocol.LevelWarn, protocol.LevelError).Draw(t, "level"),
			Source: word(protocol.SourcePod, protocol.SourceWorker, protocol.SourceCompactor,
				protocol.SourceAgentsMD).Draw(t, "source"),
			Message: genText.Draw(t, "message"), TimestampMS: rapid.Int64().Draw(t, "timestamp_ms"),
		}
	},
	protocol.EventCompactStart: func(*rapid.T) protocol.EventData { return protocol.CompactStart{} },
	protocol.EventCompactDone: func(t *rapid.T) protocol.EventData {
		return protocol.CompactDone{NewSessionID: genUUID(t), EntryID: genText.Draw(t, "entry_id")}
	},
	protocol.EventCompactFailed: func(t *rapid.T) protocol.EventData {
		return protocol.CompactFailed{Error: genText.Draw(t, "error")}
	},
	protocol.EventShutdown: func(*rapid.T) protocol.EventData { return protocol.ShutdownEvent{} },
	protocol.EventHello: func(t *rapid.T) protocol.EventData {
		return protocol.HelloEvent{
			ProtocolVersion: genUint.Draw(t, "version"), Server: genText.Draw(t, "server"), PodID: genUUID(t),
			PodName: genText.Draw(t, "pod_name"), SessionID: genUUID(t), State: genState.Draw(t, "state"),
			Seq: genUint.Draw(t, "seq"), Resumed: rapid.Bool().Draw(t, "resumed"),
			Features: rapid.SliceOf(genText).Draw(t, "features"), Live: ptr(genLive).Draw(t, "live"),
		}
	},
	protocol.EventSnapshot: func(t *rapid.T) protocol.EventData {
		return protocol.Snapshot{
			SessionID: genUUID(t), State: genState.Draw(t, "state"), Seq: genUint.Draw(t, "seq"),
			Items: rapid.SliceOf(genRaw).Draw(t, "items"), TotalItems: genUint.Draw(t, "total"),
			Before: ptr(genText).Draw(t, "before"), Live: genLive.Draw(t, "live"),
		}
	},
	protocol.EventEntries: func(t *rapid.T) protocol.EventData {
		return protocol.Entries{Items: rapid.SliceOf(genRaw).Draw(t, "items"), Before: ptr(genText).Draw(t, "before")}
	},
	protocol.EventStatus: func(t *rapid.T) protocol.EventData {
		return protocol.Status{
			State: genState.Draw(t, "state"), SessionID: genUUID(t), SinceMS: rapid.Int64().Draw(t, "since_ms"),
			Clients: genUint.Draw(t, "clients"), Queued: genUint.Draw(t, "queued"),
			Retry: ptr(rapid.Custom(func(t *rapid.T) protocol.Retry {
				return protocol.Retry{Attempt: genUint.Draw(t, "attempt"), AtMS: rapid.Int64().Draw(t, "at_ms")}
			})).Draw(t, "retry"),
		}
	},
	protocol.EventUserInput: func(t *rapid.T) protocol.EventData {
		return protocol.UserInput{
			Text:   genText.Draw(t, "text"),
			Kind:   word(protocol.InputText, protocol.InputNotification, protocol.InputPodEvent).Draw(t, "kind"),
			Client: genText.Draw(t, "client"), EntryID: genText.Draw(t, "entry_id"),
		}
	},
	protocol.EventReasoningDelta: func(t *rapid.T) protocol.EventData {
		return protocol.ReasoningDelta{Text: genText.Draw(t, "text")}
	},
	protocol.EventReasoningDone: func(t *rapid.T) protocol.EventData {
		return protocol.ReasoningDone{Text: genText.Draw(t, "text"), EntryID: genText.Draw(t, "entry_id")}
	},
	protocol.EventAccepted: func(t *rapid.T) protocol.EventData {
		return protocol.Accepted{Method: genText.Draw(t, "method"), EntryID: ptr(genText).Draw(t, "entry_id")}
	},
	"": func(t *rapid.T) protocol.EventData {
		u := protocol.Unknown{Name: "x_" + genText.Draw(t, "name")}
		if rapid.Bool().Draw(t, "has data") {
			u.Data = genRaw.Draw(t, "data")
		}
		return u
	},
}

var genEvent = rapid.Custom(func(t *rapid.T) protocol.Event {
	tag := rapid.SampledFrom(sortedKeys(genData)).Draw(t, "event")
	e := protocol.Event{Data: genData[tag](t)}
	if rapid.Bool().Draw(t, "durable") {
		e.Seq = genUint.Draw(t, "seq")
	}
	if rapid.Bool().Draw(t, "answer") {
		e.RequestID = genText.Draw(t, "request_id")
	}
	return e
})
