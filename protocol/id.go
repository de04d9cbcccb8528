package protocol

import (
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"
)

// SessionID names a pod's session: a UUID, version 7 when Podium makes it.
// It is typed because the wire type of compact_done is a UUID and not a
// string (seed 000, decision 5). Sessions of other origin have other ids and
// are opaque strings in session and store.
type SessionID uuid.UUID

// PodID names one pod for its whole life: the sequence numbers of durable
// events are unique within it and it survives restarts of the process.
type PodID uuid.UUID

// NewSessionID makes a time-ordered session id (UUID version 7).
func NewSessionID() SessionID { return SessionID(newUUID()) }

// NewPodID makes a time-ordered pod id (UUID version 7).
func NewPodID() PodID { return PodID(newUUID()) }

// NewEntryID makes a time-ordered id for a log entry. Entry ids are opaque
// text on the wire.
func NewEntryID() string { return newUUID().String() }

// newUUID panics when the system has no randomness, as nothing that needs an
// id can go on without one.
func newUUID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// ParseSessionID reads a UUID in any of the usual forms (hyphenated in either
// case, simple, braced, URN).
func ParseSessionID(s string) (SessionID, error) {
	id, err := uuid.Parse(s)
	// uuid.Parse takes any two bytes for braces.
	if err != nil || len(s) == 38 && (s[0] != '{' || s[37] != '}') {
		return SessionID{}, fmt.Errorf("%q is not a UUID", clip(s))
	}
	return SessionID(id), nil
}

// ParsePodID reads a UUID in any of the usual forms.
func ParsePodID(s string) (PodID, error) {
	id, err := ParseSessionID(s)
	return PodID(id), err
}

// String is the lower-case hyphenated form, the one written to the wire.
func (id SessionID) String() string { return uuid.UUID(id).String() }

// Short is the first eight hex digits, as the line of a compaction names a
// session. (seed 000)
func (id SessionID) Short() string { return id.String()[:8] }

// ShortID is a session's id in eight characters, as shown to a person: the end,
// for the ids of one minute begin alike. An id of up to twelve characters stays
// whole.
func ShortID(id string) string {
	if utf8.RuneCountInString(id) <= 12 {
		return id
	}
	runes := []rune(id)
	return string(runes[len(runes)-8:])
}

// IsZero reports whether the id was never set.
func (id SessionID) IsZero() bool { return id == SessionID{} }

// MarshalText writes the lower-case hyphenated form.
func (id SessionID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads any form that ParseSessionID reads.
func (id *SessionID) UnmarshalText(b []byte) error {
	parsed, err := ParseSessionID(string(b))
	if err == nil {
		*id = parsed
	}
	return err
}

// String is the lower-case hyphenated form, the one written to the wire.
func (id PodID) String() string { return uuid.UUID(id).String() }

// IsZero reports whether the id was never set.
func (id PodID) IsZero() bool { return id == PodID{} }

// MarshalText writes the lower-case hyphenated form.
func (id PodID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads any form that ParsePodID reads.
func (id *PodID) UnmarshalText(b []byte) error {
	parsed, err := ParsePodID(string(b))
	if err == nil {
		*id = parsed
	}
	return err
}

// clip keeps foreign text short inside an error.
func clip(s string) string {
	const most = 64
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
