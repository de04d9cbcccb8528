package protocol

import "fmt"

// Append appends the event's canonical line, without a line break. Texts that
// are not UTF-8 are written with U+FFFD for each bad byte. Errors are
// *EncodeError: no data, a raw value that is not one line of JSON, a cost that
// is not finite. On an error dst comes back as it was.
func (e Event) Append(dst []byte) ([]byte, error) {
	if e.Data == nil {
		return dst, &EncodeError{Field: "data", What: "is nil"}
	}
	enc := encoder{dst: dst}
	enc.data(e.Data)
	if e.Seq != 0 {
		enc.uint(`,"seq":`, e.Seq)
	}
	enc.optionalText(`,"request_id":`, e.RequestID)
	if enc.err != nil {
		return dst, enc.err
	}
	return append(enc.dst, '}'), nil
}

func (e *encoder) data(data EventData) {
	switch d := data.(type) {
	case TextDelta:
		e.text(`{"event":"text_delta","data":{"text":`, d.Text)
	case ToolCallArgsDelta:
		e.text(`{"event":"tool_call_args_delta","data":{"id":`, d.ID)
		e.text(`,"json":`, d.JSON)
	case ReasoningDelta:
		e.text(`{"event":"reasoning_delta","data":{"text":`, d.Text)
	case TurnStart:
		e.uint(`{"event":"turn_start","data":{"turn":`, d.Turn)
	case TurnEnd:
		e.uint(`{"event":"turn_end","data":{"turn":`, d.Turn)
		e.text(`,"result":`, string(d.Result))
		e.optionalText(`,"entry_id":`, d.EntryID)
	case TextDone:
		e.text(`{"event":"text_done","data":{"text":`, d.Text)
		e.optionalText(`,"entry_id":`, d.EntryID)
	case ToolCallStart:
		e.text(`{"event":"tool_call_start","data":{"id":`, d.ID)
		e.text(`,"name":`, d.Name)
	case ToolCallDone:
		e.text(`{"event":"tool_call_done","data":{"id":`, d.ID)
		e.text(`,"name":`, d.Name)
		e.text(`,"arguments":`, d.Arguments)
		e.optionalText(`,"entry_id":`, d.EntryID)
	case ToolResult:
		e.text(`{"event":"tool_result","data":{"id":`, d.ID)
		e.text(`,"output":`, d.Output)
		e.bool(`,"is_error":`, d.IsError)
		if d.Summary != nil {
			e.text(`,"summary":`, *d.Summary)
		}
		e.optionalText(`,"entry_id":`, d.EntryID)
	case Usage:
		e.raw(`{"event":"usage","data":{`)
		e.usage(d)
	case RunEnd:
		e.text(`{"event":"run_end","data":{"result":`, string(d.Result))
		e.optionalText(`,"error":`, d.Error)
		e.optionalText(`,"entry_id":`, d.EntryID)
	case Error:
		e.text(`{"event":"error","data":{"code":`, string(d.Code))
		e.text(`,"message":`, d.Message)
	case Notification:
		e.text(`{"event":"notification","data":{"level":`, string(d.Level))
		e.text(`,"source":`, string(d.Source))
		e.text(`,"message":`, d.Message)
		e.int(`,"timestamp_ms":`, d.TimestampMS)
	case CompactDone:
		e.text(`{"event":"compact_done","data":{"new_session_id":`, d.NewSessionID.String())
		e.optionalText(`,"entry_id":`, d.EntryID)
	case CompactFailed:
		e.text(`{"event":"compact_failed","data":{"error":`, d.Error)
	case History:
		e.history(d)
	default:
		if e.extendedData(data) {
			break
		}
		// The tags without content leave the object of the content closed.
		e.bareData(data)
		return
	}
	e.raw("}")
}

// extendedData writes the events that only extended clients get; it reports
// false, having written nothing, when data is none of them.
func (e *encoder) extendedData(data EventData) bool {
	switch d := data.(type) {
	case HelloEvent:
		e.uint(`{"event":"hello","data":{"protocol_version":`, d.ProtocolVersion)
		e.text(`,"server":`, d.Server)
		e.text(`,"pod_id":`, d.PodID.String())
		e.text(`,"pod_name":`, d.PodName)
		e.text(`,"session_id":`, d.SessionID.String())
		e.text(`,"state":`, string(d.State))
		e.uint(`,"seq":`, d.Seq)
		e.bool(`,"resumed":`, d.Resumed)
		e.texts(`,"features":`, d.Features)
		if d.Live != nil {
			e.live(*d.Live)
		}
	case Snapshot:
		e.text(`{"event":"snapshot","data":{"session_id":`, d.SessionID.String())
		e.text(`,"state":`, string(d.State))
		e.uint(`,"seq":`, d.Seq)
		e.values(`,"items":`, "items", d.Items)
		e.uint(`,"total_items":`, d.TotalItems)
		e.nullableText(`,"before":`, d.Before)
		e.live(d.Live)
	case Entries:
		e.values(`{"event":"entries","data":{"items":`, "items", d.Items)
		e.nullableText(`,"before":`, d.Before)
	case Status:
		e.status(d)
	case UserInput:
		e.text(`{"event":"user_input","data":{"text":`, d.Text)
		e.text(`,"kind":`, string(d.Kind))
		e.text(`,"client":`, d.Client)
		e.text(`,"entry_id":`, d.EntryID)
	case ReasoningDone:
		e.text(`{"event":"reasoning_done","data":{"text":`, d.Text)
		e.optionalText(`,"entry_id":`, d.EntryID)
	case Accepted:
		e.text(`{"event":"accepted","data":{"method":`, d.Method)
		e.nullableText(`,"entry_id":`, d.EntryID)
	default:
		return false
	}
	return true
}

// bareData writes the events without content, and unknown ones.
func (e *encoder) bareData(data EventData) {
	switch d := data.(type) {
	case CompactStart, ShutdownEvent:
		e.raw(`{"event":"`)
		e.raw(data.EventName())
		e.raw(`"`)
	case Unknown:
		e.text(`{"event":`, d.Name)
		if d.Data != nil {
			e.value(`,"data":`, "data", d.Data)
		}
	default:
		e.tag = data.EventName()
		e.fail("data", fmt.Sprintf("has no codec: %T", data))
	}
}

func (e *encoder) history(d History) {
	e.values(`{"event":"history","data":{"items":`, "items", d.Items)
	g := d.Greeting
	e.text(`,"greeting":{"pod_name":`, g.PodName)
	e.text(`,"cwd":`, g.Cwd)
	e.text(`,"provider":`, g.Provider)
	e.text(`,"model":`, g.Model)
	e.text(`,"scope_summary":`, g.ScopeSummary)
	e.texts(`,"tools":`, g.Tools)
	e.raw("}")
}

// usage writes the fields of a usage object, without its braces.
func (e *encoder) usage(u Usage) {
	e.nullableUint(`"input_tokens":`, u.InputTokens)
	e.nullableUint(`,"output_tokens":`, u.OutputTokens)
	if x := u.Extra; x != nil {
		e.uint(`,"cache_read_tokens":`, x.CacheReadTokens)
		e.uint(`,"cache_write_tokens":`, x.CacheWriteTokens)
		e.uint(`,"reasoning_tokens":`, x.ReasoningTokens)
		e.nullableFloat(`,"cost_usd":`, "cost_usd", x.CostUSD)
		e.uint(`,"context_tokens":`, x.ContextTokens)
		e.nullableUint(`,"context_limit":`, x.ContextLimit)
	}
	if u.CostPartial {
		e.raw(`,"cost_partial":true`)
	}
}

// live writes in_flight, pending and usage, each with its comma.
func (e *encoder) live(l Live) {
	e.raw(`,"in_flight":[`)
	for i, b := range l.InFlight {
		e.raw(separator(i))
		e.text(`{"kind":`, string(b.Kind))
		e.optionalText(`,"id":`, b.ID)
		e.optionalText(`,"name":`, b.Name)
		e.text(`,"text":`, b.Text)
		e.raw("}")
	}
	e.raw("]")
	e.values(`,"pending":`, "pending", l.Pending)
	e.raw(`,"usage":{`)
	e.usage(l.Usage)
	e.raw("}")
}

func (e *encoder) status(s Status) {
	e.text(`{"event":"status","data":{"state":`, string(s.State))
	e.text(`,"session_id":`, s.SessionID.String())
	e.int(`,"since_ms":`, s.SinceMS)
	e.uint(`,"clients":`, s.Clients)
	e.uint(`,"queued":`, s.Queued)
	if s.Retry == nil {
		e.null(`,"retry":`)
		return
	}
	e.uint(`,"retry":{"attempt":`, s.Retry.Attempt)
	e.int(`,"at_ms":`, s.Retry.AtMS)
	e.raw("}")
}
