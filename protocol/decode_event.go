package protocol

// DecodeEvent reads one line, with or without its line break, tolerantly: an
// unknown tag becomes Unknown with its raw content, unknown words (code,
// result, level, source, state, kind) are kept as they are, unknown keys are
// ignored. What is not one JSON object with valid UTF-8 and unrepeated keys,
// or a known event without its fields, is a *DecodeError. The result shares no
// memory with line.
func DecodeEvent(line []byte) (Event, error) {
	e, derr := openEnvelope(line, "event", "data")
	if derr != nil {
		return Event{}, derr
	}
	data, derr := decodeData(&e)
	if derr != nil {
		return Event{}, derr
	}
	event := Event{Data: data}
	top := fields{tag: e.tag}
	if v := e.seq; v != nil && v.Kind() != 'n' {
		event.Seq = top.toUint("seq", v)
	}
	if v := e.requestID; v != nil && v.Kind() != 'n' {
		event.RequestID = top.toText("request_id", v)
	}
	if top.err != nil {
		return Event{}, top.err
	}
	return event, nil
}

// decodeData reads the content that belongs to the tag.
func decodeData(e *envelope) (EventData, *DecodeError) {
	switch e.tag {
	case EventCompactStart:
		return CompactStart{}, e.noContent()
	case EventShutdown:
		return ShutdownEvent{}, e.noContent()
	}
	read := eventReaders[e.tag]
	if read == nil {
		return Unknown{Name: e.tag, Data: e.content.Clone()}, nil
	}
	f, err := e.fields()
	if err != nil {
		return nil, err
	}
	data := read(f)
	return data, f.err
}

// eventReaders read the content of the events that have any.
var eventReaders = map[string]func(*fields) EventData{
	EventTurnStart: func(f *fields) EventData { return TurnStart{Turn: f.uint("turn")} },
	EventTurnEnd: func(f *fields) EventData {
		return TurnEnd{Turn: f.uint("turn"), Result: TurnResult(f.text("result")), EntryID: f.optionalText("entry_id")}
	},
	EventTextDelta: func(f *fields) EventData { return TextDelta{Text: f.text("text")} },
	EventTextDone: func(f *fields) EventData {
		return TextDone{Text: f.text("text"), EntryID: f.optionalText("entry_id")}
	},
	EventToolCallStart: func(f *fields) EventData {
		return ToolCallStart{ID: f.text("id"), Name: f.text("name")}
	},
	EventToolCallArgsDelta: func(f *fields) EventData {
		return ToolCallArgsDelta{ID: f.text("id"), JSON: f.text("json")}
	},
	EventToolCallDone: func(f *fields) EventData {
		return ToolCallDone{
			ID: f.text("id"), Name: f.text("name"), Arguments: f.text("arguments"),
			EntryID: f.optionalText("entry_id"),
		}
	},
	EventToolResult: func(f *fields) EventData {
		return ToolResult{
			ID: f.text("id"), Output: f.text("output"), IsError: f.bool("is_error"),
			Summary: f.nullableText("summary"), EntryID: f.optionalText("entry_id"),
		}
	},
	EventUsage: func(f *fields) EventData { return decodeUsage(f) },
	EventRunEnd: func(f *fields) EventData {
		return RunEnd{
			Result: RunResult(f.text("result")), Error: f.optionalText("error"), EntryID: f.optionalText("entry_id"),
		}
	},
	EventError: func(f *fields) EventData {
		return Error{Code: ErrorCode(f.text("code")), Message: f.text("message")}
	},
	EventHistory: func(f *fields) EventData {
		h := History{Items: f.rawArray("items")}
		f.object("greeting", func(g *fields) { h.Greeting = decodeGreeting(g) })
		return h
	},
	EventNotification: func(f *fields) EventData {
		return Notification{
			Level: NotificationLevel(f.text("level")), Source: NotificationSource(f.text("source")),
			Message: f.text("message"), TimestampMS: f.int("timestamp_ms"),
		}
	},
	EventCompactDone: func(f *fields) EventData {
		return CompactDone{NewSessionID: f.sessionID("new_session_id"), EntryID: f.optionalText("entry_id")}
	},
	EventCompactFailed: func(f *fields) EventData { return CompactFailed{Error: f.text("error")} },

	EventHello:    func(f *fields) EventData { return decodeHelloEvent(f) },
	EventSnapshot: func(f *fields) EventData { return decodeSnapshot(f) },
	EventEntries: func(f *fields) EventData {
		return Entries{Items: f.rawArray("items"), Before: f.nullableText("before")}
	},
	EventStatus: func(f *fields) EventData { return decodeStatus(f) },
	EventUserInput: func(f *fields) EventData {
		return UserInput{
			Text: f.text("text"), Kind: InputKind(f.text("kind")), Client: f.optionalText("client"),
			EntryID: f.optionalText("entry_id"),
		}
	},
	EventReasoningDelta: func(f *fields) EventData { return ReasoningDelta{Text: f.text("text")} },
	EventReasoningDone: func(f *fields) EventData {
		return ReasoningDone{Text: f.text("text"), EntryID: f.optionalText("entry_id")}
	},
	EventAccepted: func(f *fields) EventData {
		return Accepted{Method: f.text("method"), EntryID: f.nullableText("entry_id")}
	},
}

// decodeUsage gives Extra only when one of its keys is there; then its four
// plain counts must be.
func decodeUsage(f *fields) Usage {
	u := Usage{InputTokens: f.nullableUint("input_tokens"), OutputTokens: f.nullableUint("output_tokens")}
	if f.has("cost_partial") {
		u.CostPartial = f.bool("cost_partial")
	}
	if f.has("cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "cost_usd", "context_tokens", "context_limit") {
		u.Extra = &UsageExtra{
			CacheReadTokens: f.uint("cache_read_tokens"), CacheWriteTokens: f.uint("cache_write_tokens"),
			ReasoningTokens: f.uint("reasoning_tokens"), CostUSD: f.nullableFloat("cost_usd"),
			ContextTokens: f.uint("context_tokens"), ContextLimit: f.nullableUint("context_limit"),
		}
	}
	return u
}

func decodeGreeting(f *fields) Greeting {
	return Greeting{
		PodName: f.text("pod_name"), Cwd: f.text("cwd"), Provider: f.text("provider"), Model: f.text("model"),
		ScopeSummary: f.text("scope_summary"), Tools: f.texts("tools"),
	}
}

func decodeHelloEvent(f *fields) HelloEvent {
	h := HelloEvent{
		ProtocolVersion: f.uint("protocol_version"), Server: f.text("server"), PodID: f.podID("pod_id"),
		PodName: f.text("pod_name"), SessionID: f.sessionID("session_id"), State: PodState(f.text("state")),
		Seq: f.uint("seq"), Resumed: f.bool("resumed"), Features: f.texts("features"),
	}
	if f.has("in_flight", "pending", "usage") {
		live := decodeLive(f)
		h.Live = &live
	}
	return h
}

func decodeSnapshot(f *fields) Snapshot {
	return Snapshot{
		SessionID: f.sessionID("session_id"), State: PodState(f.text("state")), Seq: f.uint("seq"),
		Items: f.rawArray("items"), TotalItems: f.uint("total_items"), Before: f.nullableText("before"),
		Live: decodeLive(f),
	}
}

func decodeLive(f *fields) Live {
	live := Live{InFlight: []OpenBlock{}}
	f.objects("in_flight", func(b *fields) {
		live.InFlight = append(live.InFlight, OpenBlock{
			Kind: BlockKind(b.text("kind")), ID: b.optionalText("id"), Name: b.optionalText("name"), Text: b.text("text"),
		})
	})
	live.Pending = f.rawArray("pending")
	f.object("usage", func(u *fields) { live.Usage = decodeUsage(u) })
	return live
}

func decodeStatus(f *fields) Status {
	s := Status{
		State: PodState(f.text("state")), SessionID: f.sessionID("session_id"), SinceMS: f.int("since_ms"),
		Clients: f.uint("clients"), Queued: f.uint("queued"),
	}
	if f.optional("retry") != nil {
		f.object("retry", func(r *fields) { s.Retry = &Retry{Attempt: r.uint("attempt"), AtMS: r.int("at_ms")} })
	}
	return s
}
