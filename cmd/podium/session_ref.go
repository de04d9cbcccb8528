package main

import (
	"context"
	"fmt"
	"strings"

	"podium.local/session"
	"podium.local/store"
)

// refLeast is the least of a session's id that names it.
const refLeast = 6

// ambiguousError says that part of an id is part of several.
type ambiguousError struct {
	ref string
	ids []string
}

// Error names the candidates.
func (e *ambiguousError) Error() string {
	return fmt.Sprintf("%s is part of several session ids, give more of the one you mean: %s", printable(e.ref), printable(strings.Join(e.ids, ", ")))
}

// referredTo is the id of the session that ref means: its id, or the first or
// last digits of it when no other begins or ends so.
func referredTo(ctx context.Context, v *store.View, ref string) (string, error) {
	if ref == "" {
		return "", usageErrorf("the session is empty: give its id; podium sessions list shows the ids")
	}
	ids, err := v.MatchSessions(ctx, ref)
	switch {
	case err != nil:
		return "", err
	case len(ids) == 1 && (ids[0] == ref || len(ref) >= refLeast):
		return ids[0], nil
	case len(ids) == 1:
		return "", usageErrorf("session %s: give at least %d characters of the id", printable(ref), refLeast)
	case len(ids) == 0:
		return "", fmt.Errorf("session %s: %w", ref, session.ErrNotFound)
	default:
		return "", &ambiguousError{ref, ids}
	}
}

// sessionRef is referredTo for a command whose argument is a session.
func sessionRef(ctx context.Context, v *store.View, ref string) (string, error) {
	id, err := referredTo(ctx, v, ref)
	return id, noSession(ref, err)
}
