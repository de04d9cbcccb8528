package protocol

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// MaxBaseOutput is the most bytes of a tool_result's output that a base client
// gets; older renderers cut at byte 200 and fail inside a character.
const MaxBaseOutput = 199

// The words of the base vocabulary. The first of a list stands for a word that
// is not in it.
var (
	baseTurnResults = []TurnResult{TurnFinished, TurnPaused}
	baseRunResults  = []RunResult{RunFinished, RunPaused, RunLimitReached}
	baseCodes       = []ErrorCode{
		CodeInternal, CodeAlreadyRunning, CodeNotRunning, CodeNotPaused, CodeProviderError, CodeToolError,
	}
	baseLevels  = []NotificationLevel{LevelWarn, LevelError}
	baseSources = []NotificationSource{SourcePod, SourceWorker, SourceCompactor, SourceAgentsMD}
)

// Base gives the event as a client gets it that never said hello, and false
// when such a client does not get it at all. The result is made of base tags
// and base words only, so no reader of the base vocabulary ends on it:
//
//   - extended and unknown events are left out, and so is a run_end whose
//     result is not finished, paused or limit_reached (the error before it
//     tells a base client that the run is over);
//   - entry_id is taken off; seq, request_id, summary and the extra fields of
//     usage stay, as extra fields are safe;
//   - a tool_result's output is cut by CutOutput;
//   - a code outside the base list becomes internal, other foreign words their
//     nearest base word.
//
// Deltas come back as they are, without an allocation.
func (e Event) Base() (Event, bool) {
	switch d := e.Data.(type) {
	case TurnStart, TextDelta, ToolCallStart, ToolCallArgsDelta, Usage, History, CompactStart, CompactFailed,
		ShutdownEvent:
	case TextDone:
		d.EntryID = ""
		e.Data = d
	case ToolCallDone:
		d.EntryID = ""
		e.Data = d
	case CompactDone:
		d.EntryID = ""
		e.Data = d
	case TurnEnd:
		d.EntryID = ""
		d.Result = known(d.Result, baseTurnResults)
		e.Data = d
	case ToolResult:
		d.EntryID = ""
		d.Output = CutOutput(d.Output)
		e.Data = d
	case RunEnd:
		if !slices.Contains(baseRunResults, d.Result) {
			return Event{}, false
		}
		d.EntryID = ""
		e.Data = d
	case Error:
		d.Code = known(d.Code, baseCodes)
		e.Data = d
	case Notification:
		d.Level = known(d.Level, baseLevels)
		d.Source = known(d.Source, baseSources)
		e.Data = d
	default:
		return Event{}, false
	}
	return e, true
}

// known is word when it is one of the list, else the first of the list.
func known[W ~string](word W, list []W) W {
	if slices.Contains(list, word) {
		return word
	}
	return list[0]
}

// CutOutput cuts s at a character border to at most MaxBaseOutput bytes, as
// they will stand on the wire: bytes that are not UTF-8 count as the U+FFFD
// they are written as.
func CutOutput(s string) string {
	if len(s) <= MaxBaseOutput && utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s { // U+FFFD for each bad byte
		if b.Len()+utf8.RuneLen(r) > MaxBaseOutput {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
