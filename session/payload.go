package session

import (
	"encoding/json"
	"fmt"
)

// Decode returns the entry's payload as the value that belongs to its kind:
// Input, System, Text, Reasoning, ToolCall, ToolResult, TurnEnd, RunEnd,
// RolledBack, Compaction or Foreign. An unknown kind is an error, so that no reader
// passes over what it does not understand.
func (e Entry) Decode() (any, error) {
	switch e.Kind {
	case KindInput:
		return decode[Input](e)
	case KindSystem:
		return decode[System](e)
	case KindText:
		return decode[Text](e)
	case KindReasoning:
		return decode[Reasoning](e)
	case KindToolCall:
		return decode[ToolCall](e)
	case KindToolResult:
		return decode[ToolResult](e)
	case KindTurnEnd:
		return decode[TurnEnd](e)
	case KindRunEnd:
		return decode[RunEnd](e)
	case KindRolledBack:
		return decode[RolledBack](e)
	case KindCompaction:
		return decode[Compaction](e)
	case KindForeign:
		return decode[Foreign](e)
	default:
		return nil, e.fault(fmt.Errorf("unknown kind %q", e.Kind))
	}
}

func decode[T any](e Entry) (any, error) {
	var payload T
	if err := json.Unmarshal(e.Payload, &payload); err != nil {
		return nil, e.fault(err)
	}
	return payload, nil
}

// fault names the entry, so that a damaged log says where it is damaged.
func (e Entry) fault(err error) error {
	return fmt.Errorf("read entry %d (%s) of session %s: %w", e.Ordinal, e.Kind, e.SessionID, err)
}
