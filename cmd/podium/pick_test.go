package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podium.local/protocol"
	"podium.local/rehearsal"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/transcript"
)

// looked is what the picker finds for a word, by title.
func looked(t *testing.T, home, word string) (titles []string, notes []string) {
	t.Helper()
	d := &directory{&app{environ: []string{"PODIUM_HOME=" + home, "HOME=" + home}}}
	found, err := d.search(t.Context(), word, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range found.Entries {
		titles = append(titles, e.Title)
		notes = append(notes, e.Note)
	}
	return titles, notes
}

func TestPick_FindsImportedSessionsByNameIDAndProgram(t *testing.T) {
	home := importedHome(t)
	whole, _, _, codex := importedIDs()
	for _, c := range []struct {
		word string
		want string
		rows int
		note string
	}{
		{"flake", "why does the login test flake?", 2, "Imported from Claude Code. Enter again continues it as a new pod here"},
		{protocol.ShortID(whole), "why does the login test flake?", 1, "podium history " + protocol.ShortID(whole) + " shows it"},
		{codex[:12], "fix the query", 1, "Imported from Codex."},
		{"codex", "fix the query", 4, "Imported from Codex."}, // the picker filters by program
		{"nothing like it", "", 0, ""},
	} {
		titles, notes := looked(t, home, c.word)
		if len(titles) != c.rows || c.rows > 0 && !slices.Contains(titles, c.want) {
			t.Errorf("%s: %q", c.word, titles)
		}
		if i := slices.Index(titles, c.want); i >= 0 && !strings.Contains(notes[i], c.note) {
			t.Errorf("%s: %q", c.word, notes[i])
		}
	}
}

func TestPick_SessionsOfAnAdoptedStoreAreOnlyRead(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "state.db")
	storetest.Lionagi(t, path)
	storetest.Fill(t, path, storetest.Rows{Sessions: 20})
	if _, err := store.Migrate(t.Context(), path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := runIn(t.Context(), home, "keyring", "rotate"); code != exitOK {
		t.Fatal(errs)
	}
	d := &directory{&app{environ: []string{"PODIUM_HOME=" + home, "HOME=" + home}}}
	found, err := d.search(t.Context(), "session 7 ", "")
	if err != nil || len(found.Entries) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if e := found.Entries[0]; !e.ReadOnly || !strings.Contains(e.Note, "podium sessions show s0000007") || e.Origin != "lionagi" {
		t.Errorf("%+v", e)
	}
}

func TestScreen_ThePickerContinuesAnImportedSessionInItsFolder(t *testing.T) {
	h := newHome(t)
	url := startModel(t, &rehearsal.Script{Replies: []rehearsal.Reply{{Default: true, Text: "Here."}}})
	config := "[model]\nscheme = \"openai-chat\"\nmodel_id = \"m\"\nbase_url = \"" + url + "\"\n"
	project := filepath.Join(h.dir, "billing")
	lines := strings.ReplaceAll(said(vendorMain, 1, "migrate the billing")+answered(vendorMain, 2, 500, ""), "/src/web", project)
	file := filepath.Join(h.dir, "claude", "projects", "-billing", vendorMain+".jsonl")
	for _, dir := range []string{project, filepath.Dir(file)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{filepath.Join(h.dir, "config.toml"): config, file: lines} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.output("import", "claude-code", filepath.Join(h.dir, "claude"))
	id := transcript.SessionID(transcript.ClaudeCode, vendorMain, "")
	x := newTerminals(t, h)
	a := x.start(100, 24, nil)
	a.awaits("No pod yet. Type to find a session of another program.")
	a.typed("billing")
	a.awaits("migrate the billing", "Claude Code")
	a.keys("Enter")
	a.awaits("Enter again continues it as a new pod in "+project[:20], "podium history "+protocol.ShortID(id))
	a.keys("Enter")
	a.awaits("› migrate the billing", "answer 2", "billing-", " · idle · "+protocol.ShortID(id))
	a.typed("go on")
	a.keys("Enter")
	a.awaits("Here.", "── 1 request")
	if ps := h.output("ps"); !strings.Contains(ps, project) {
		t.Errorf("it works elsewhere: %s", ps)
	}
	a.keys("C-d") // the pod was started detached: end it
	a.awaits("The pod has ended.")
}
