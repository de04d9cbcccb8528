package protocol_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"podium.local/protocol"
)

const someUUID = "0192f0e8-4d84-7d6e-a000-000000000001"

func TestParseSessionID_ReadsTheUsualFormsAndNothingElse(t *testing.T) {
	want := protocol.SessionID(uuid.MustParse(someUUID))
	for _, form := range []string{
		someUUID, strings.ToUpper(someUUID), strings.ReplaceAll(someUUID, "-", ""), "{" + someUUID + "}", "urn:uuid:" + someUUID,
	} {
		if got, err := protocol.ParseSessionID(form); err != nil || got != want || got.String() != someUUID {
			t.Errorf("%s: got %v, %v", form, got, err)
		}
		if got, err := protocol.ParsePodID(form); err != nil || got.String() != someUUID {
			t.Errorf("%s as a pod id: got %v, %v", form, got, err)
		}
	}
	for _, form := range []string{"", "x", someUUID + "0", someUUID[1:], "(" + someUUID + ")", "{" + someUUID + ")", strings.Repeat("x", 10_000)} {
		_, err := protocol.ParseSessionID(form)
		if err == nil || !strings.Contains(err.Error(), "is not a UUID") || len(err.Error()) > 200 {
			t.Errorf("%.50q: got %v", form, err)
		}
		if _, err := protocol.ParsePodID(form); err == nil {
			t.Errorf("%.50q was read as a pod id", form)
		}
	}
}

func TestIDs_AreOrderedByTheTimeTheyWereMade(t *testing.T) {
	var made []string
	for range 1000 {
		made = append(made, protocol.NewSessionID().String(), protocol.NewPodID().String(), protocol.NewEntryID())
	}
	if !slices.IsSorted(made) || len(slices.Compact(slices.Clone(made))) != len(made) {
		t.Error("ids are not in the order they were made in, or repeat")
	}
	for _, id := range made[:3] {
		if parsed := uuid.MustParse(id); parsed.Version() != 7 {
			t.Errorf("%s is of version %d, want 7", id, parsed.Version())
		}
	}
}

func TestIDs_StandInJSONAsText(t *testing.T) {
	type both struct {
		Session protocol.SessionID
		Pod     protocol.PodID
	}
	in := `{"Session":"{` + someUUID + `}","Pod":"` + strings.ToUpper(someUUID) + `"}`
	var v both
	if err := json.Unmarshal([]byte(in), &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if want := `{"Session":"` + someUUID + `","Pod":"` + someUUID + `"}`; err != nil || string(out) != want {
		t.Errorf("got %s, %v; want %s", out, err, want)
	}
	before := v
	if json.Unmarshal([]byte(`{"Session":"x"}`), &v) == nil || json.Unmarshal([]byte(`{"Pod":"x"}`), &v) == nil || v != before {
		t.Errorf("a text that is no UUID was read as %v", v)
	}
}

func TestSessionID_ShortIsWhatAPersonSees(t *testing.T) {
	id, err := protocol.ParseSessionID(someUUID)
	if err != nil || id.Short() != "0192f0e8" {
		t.Errorf("got %q, %v", id.Short(), err)
	}
	if id.IsZero() || !(protocol.SessionID{}).IsZero() || !(protocol.PodID{}).IsZero() || protocol.NewPodID().IsZero() {
		t.Error("IsZero does not tell a set id from one that is not")
	}
}

func TestShortID_IsTheEndThatTellsSessionsApart(t *testing.T) {
	for id, want := range map[string]string{
		"01a22ee0-4d84-7d6e-a000-0123456789ab": "456789ab",
		"run-7":                                "run-7",
		"":                                     "",
		"日本日本日本日本日本日本x":                        "本日本日本日本x",
	} {
		if got := protocol.ShortID(id); got != want {
			t.Errorf("ShortID(%q) = %q, want %q", id, got, want)
		}
	}
}
