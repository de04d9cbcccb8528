package studio_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podium.local/listing"
	"podium.local/store"
	"podium.local/store/storetest"
	"podium.local/studio"
)

// keys are what a keyring's file says.
func (l *lane) keys() (file struct {
	Active string
	Keys   []struct{ ID, Secret string }
}) {
	l.Helper()
	text, err := os.ReadFile(l.lister.Keyring.Path())
	if err == nil {
		err = json.Unmarshal(text, &file)
	}
	if err != nil {
		l.Fatal(err)
	}
	return file
}

// forge signs a payload as the daemon would.
func (l *lane) forge(payload string) string {
	l.Helper()
	file := l.keys()
	secret, err := base64.RawURLEncoding.DecodeString(file.Keys[0].Secret)
	if err != nil {
		l.Fatal(err)
	}
	signed := "lc1." + file.Keys[0].ID + "." + base64.RawURLEncoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("podium/listing-cursor/v1\x00" + signed))
	return signed + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// payload is what a cursor says.
func (l *lane) payload(cursor string) string {
	l.Helper()
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(cursor, ".")[2])
	if err != nil {
		l.Fatal(err)
	}
	return string(text)
}

// with is the target of a cursor of a test's own making.
func with(target, cursor string) string { return target + "&cursor=" + cursor }

// began is a chain's first cursor.
func (l *lane) began(target string) string {
	l.Helper()
	w := l.window(target)
	if w.page.NextCursor == nil {
		l.Fatalf("%s: nothing to continue", target)
	}
	return *w.page.NextCursor
}

func cursorForm(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	parts := strings.Split(cursor, ".")
	if len(parts) != 4 || parts[0] != "lc1" || len(cursor) > 8192 || strings.ContainsAny(cursor, "=+/") || len(parts[1]) == 0 || len(parts[1]) > 32 {
		t.Fatalf("%s", cursor)
	}
	want := fmt.Sprintf(`{"cmp":1,"elig":1,"ep":"runs","exp":%d,"fp":"%s","iat":%d,"inc":"%s","key":{"id":"s0009","u":["f","40c18f8000000000"]},"row":1,"scope":"store-access/1","sort":"recent","store":"local","v":1}`,
		clock.Unix()+86400, listing.Filter{}.Fingerprint(), clock.Unix(), l.value("SELECT incarnation FROM listing_store_identity"))
	if got := l.payload(cursor); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if l.forge(want) != cursor {
		t.Error("the signature is over something else than stated")
	}
	// The longest id, at its worst, still fits.
	l = newLane(t, stored([3]string{`printf('%.*c', 4096, '"')`, "2", "2"}, [3]string{"'b'", "1", "1"}))
	if cursor := l.began(runsV2 + "&per_page=1&sort=cost&search=&status=" + strings.Repeat("x", 1000) + "&status=completed"); len(cursor) > 8192 || l.window(with(runsV2+"&per_page=1&sort=cost&status=completed&status="+strings.Repeat("x", 1000), cursor)).ids() != "b" {
		t.Errorf("%d bytes", len(cursor))
	}
}

func everyByteSigned(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	for i := range cursor {
		c := byte('A')
		if cursor[i] == c {
			c = 'B'
		}
		changed := cursor[:i] + string(c) + cursor[i+1:]
		status, body := http.StatusBadRequest, cursorInvalid
		if at := strings.IndexByte(cursor[4:], '.') + 4; i >= 4 && i < at {
			status, body = http.StatusConflict, cursorRestart // another key's id
		}
		l.refused(with(runsV2, changed), status, body)
	}
	// The same key over the same bytes, without our domain.
	file := l.keys()
	secret, err := base64.RawURLEncoding.DecodeString(file.Keys[0].Secret)
	if err != nil {
		t.Fatal(err)
	}
	signed := cursor[:strings.LastIndexByte(cursor, '.')]
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signed))
	l.refused(with(runsV2, signed+"."+base64.RawURLEncoding.EncodeToString(mac.Sum(nil))), http.StatusBadRequest, cursorInvalid)
}

func malformedCursors(t *testing.T) {
	l := newLane(t, numbered(30))
	good := l.began(runsV2)
	p := strings.Split(good, ".")
	join := func(parts ...string) string { return strings.Join(parts, ".") }
	for name, cursor := range map[string]string{
		"too long": good + strings.Repeat("A", 8192), "not ASCII": good[:8] + "%C3%A9" + good[8:], "one part": "lc1", "three parts": join(p[:3]...), "five parts": good + ".x",
		"other version": join("lc2", p[1], p[2], p[3]), "no key id": join(p[0], "", p[2], p[3]), "long key id": join(p[0], strings.Repeat("k", 33), p[2], p[3]),
		"key id with a sign": join(p[0], "a~b", p[2], p[3]), "no payload": join(p[0], p[1], "", p[3]), "padding": join(p[0], p[1], p[2]+"%3D", p[3]),
		"standard alphabet": join(p[0], p[1], "%2B%2F%2B%2F", p[3]), "blank": join(p[0], p[1], p[2]+"%20", p[3]), "line end": join(p[0], p[1], p[2]+"%0A", p[3]), "trailing bits": join(p[0], p[1], "AB", p[3]),
		"no mac": join(p[0], p[1], p[2], ""), "short mac": join(p[0], p[1], p[2], p[3][:42]), "mac of 31 bytes": join(p[0], p[1], p[2], p[3][:41]+"A"), "other mac": join(p[0], p[1], p[2], strings.Repeat("A", 43)), "garbage": "x", "null byte": "%00",
	} {
		rec := l.call(with(runsV2, cursor))
		if rec.Code != http.StatusBadRequest || rec.Body.String() != cursorInvalid {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
	}
}

func foreignCursors(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	payload := l.payload(cursor)
	restart := func(name, target string) {
		t.Helper()
		rec := l.call(target)
		if rec.Code != http.StatusConflict || rec.Body.String() != cursorRestart {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
	}
	bend := func(old, new string) string {
		t.Helper()
		bent := strings.Replace(payload, old, new, 1)
		if bent == payload {
			t.Fatalf("%s is not in %s", old, payload)
		}
		return with(runsV2, l.forge(bent))
	}
	restart("other endpoint", with(sessionsV2, cursor))
	restart("other endpoint, signed", bend(`"ep":"runs"`, `"ep":"sessions"`))
	restart("unknown endpoint", bend(`"ep":"runs"`, `"ep":"jobs"`))
	restart("other projection", bend(`"row":1`, `"row":2`))
	restart("other comparison", bend(`"cmp":1`, `"cmp":2`))
	restart("other eligibility", bend(`"elig":1`, `"elig":0`))
	restart("other fingerprint", bend(`"fp":"`, `"fp":"x`))
	restart("other filter", with(runsV2+"&search=x", cursor))
	restart("other sort", with(runsV2+"&sort=cost", cursor))
	restart("other store", bend(`"store":"local"`, `"store":"other"`))
	restart("other scope", bend(`"scope":"store-access/1"`, `"scope":"store-access/2"`))
	restart("other incarnation", bend(`"inc":"`, `"inc":"0`))
	old := strings.Replace(payload, fmt.Sprintf(`"exp":%d`, clock.Unix()+86400), fmt.Sprintf(`"exp":%d`, clock.Unix()), 1)
	restart("expired", with(runsV2, l.forge(strings.Replace(old, fmt.Sprintf(`"iat":%d`, clock.Unix()), fmt.Sprintf(`"iat":%d`, clock.Unix()-86400), 1))))
	restart("unknown key", with(runsV2, "lc1.nosuchkey"+cursor[strings.IndexByte(cursor[4:], '.')+4:]))
	if err := os.Rename(l.path, l.path+".away"); err != nil {
		t.Fatal(err)
	}
	restart("file gone", with(runsV2, cursor))
	if err := os.Rename(l.path+".away", l.path); err != nil {
		t.Fatal(err)
	}
	if got := l.window(with(runsV2, cursor)).rows[0]["id"]; got != "s0010" {
		t.Errorf("the cursor itself goes on at %v", got)
	}
}

func unknownKeyUnread(t *testing.T) {
	l := newLane(t, numbered(30))
	// What no parser of JSON survives well is not parsed for a stranger's key.
	for _, payload := range []string{strings.Repeat("[", 5000), "\xff\xfe", `{"key":` + strings.Repeat(`{"key":`, 600)} {
		cursor := "lc1.stranger." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + "." + strings.Repeat("A", 43)
		l.refused(with(runsV2, cursor), http.StatusConflict, cursorRestart)
	}
}

func signedOutOfSchema(t *testing.T) {
	l := newLane(t, numbered(30))
	payload := l.payload(l.began(runsV2))
	times := fmt.Sprintf(`"exp":%d`, clock.Unix()+86400)
	issued := fmt.Sprintf(`"iat":%d`, clock.Unix())
	for name, change := range map[string][2]string{
		"duplicate": {`{"cmp":1`, `{"cmp":1,"cmp":1`}, "unknown": {`"v":1`, `"v":1,"w":1`}, "missing": {`"elig":1,`, ``}, "blank": {`:1,"elig"`, `: 1,"elig"`},
		"order": {`"cmp":1,"elig":1`, `"elig":1,"cmp":1`}, "type": {`"v":1`, `"v":"1"`}, "version": {`"v":1`, `"v":2`}, "float": {`"cmp":1`, `"cmp":1.0`},
		"tag": {`["f"`, `["d"`}, "no finite number": {`["f","40c18f8000000000"]`, `["f","7ff0000000000000"]`}, "long integer": {`["f","40c18f8000000000"]`, `["i","99999999999999999999"]`},
		"empty id": {`"id":"s0009"`, `"id":""`}, "cost in recent": {`"key":{`, `"key":{"c":null,`}, "no cost in cost": {`"sort":"recent"`, `"sort":"cost"`}, "unknown sort": {`"sort":"recent"`, `"sort":"age"`},
		"a chain too long": {times, fmt.Sprintf(`"exp":%d`, clock.Unix()+86401)}, "ends before it begins": {times, fmt.Sprintf(`"exp":%d`, clock.Unix()-1)}, "ends as it begins": {times, `"exp":` + issued[6:]},
		"issued in the future": {issued, fmt.Sprintf(`"iat":%d`, clock.Unix()+61)}, "negative": {issued, `"iat":-1`}, "not an object": {payload, "[]"}, "nothing": {payload, "{}"},
	} {
		bent := strings.Replace(payload, change[0], change[1], 1)
		if bent == payload {
			t.Fatalf("%s: %s is not in %s", name, change[0], payload)
		}
		rec := l.call(with(runsV2, l.forge(bent)))
		if rec.Code != http.StatusBadRequest || rec.Body.String() != cursorInvalid {
			t.Errorf("%s: %d %s", name, rec.Code, rec.Body)
		}
	}
	if rec := l.call(with(runsV2, l.forge(strings.Replace(payload, issued, fmt.Sprintf(`"iat":%d`, clock.Unix()+60), 1)))); rec.Code != http.StatusOK {
		t.Errorf("a clock one minute ahead: %d %s", rec.Code, rec.Body)
	}
}

func nothingReflected(t *testing.T) {
	l := newLane(t, numbered(30))
	var log bytes.Buffer
	s := open(t, l.path, func(c *studio.Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		c.Sources.Windows = l.lister
	})
	cursor := l.began(runsV2)
	parts := strings.Split(cursor, ".")
	l.sql("UPDATE sessions SET updated_at = 'secret-time' WHERE id = 's0020'; DELETE FROM branches; UPDATE sessions SET id = x'5ec7e7' WHERE id = 's0021'")
	for _, target := range []string{with(sessionsV2, cursor), with(runsV2, cursor+"A"), with(runsV2, cursor), with(runsV2, "lc1.stranger-key."+parts[2]+"."+parts[3]), with(runsV2+"&search=needle-in-log", cursor)} {
		rec := call(t, s.Handler(), http.MethodGet, target, "")
		if rec.Code < 400 {
			t.Errorf("%.60s: %d", target, rec.Code)
		}
		for _, secret := range []string{parts[1], parts[2], parts[3], "s0009", "s0020", "secret-time", "stranger-key", "needle-in-log", "5ec7e7"} {
			if strings.Contains(rec.Body.String(), secret) || strings.Contains(log.String(), secret) {
				t.Errorf("%.60s: %s is in %s or in the log %s", target, secret, rec.Body, log.String())
			}
		}
	}
	if !strings.Contains(log.String(), "Stored ordering values are unsupported.") {
		t.Errorf("the log does not say what has to be mended: %s", log.String())
	}
}

func chainExpiry(t *testing.T) {
	l := newLane(t, numbered(60))
	target := runsV2 + "&per_page=5"
	cursor := l.began(target)
	for _, after := range []time.Duration{time.Hour, 20 * time.Hour, 24*time.Hour - time.Second} {
		l.now = clock.Add(after)
		w := l.window(with(target, cursor))
		cursor = *w.page.NextCursor
		if !strings.Contains(l.payload(cursor), fmt.Sprintf(`"exp":%d,`, clock.Unix()+86400)) {
			t.Errorf("after %s it ends elsewhere: %s", after, l.payload(cursor))
		}
	}
	l.now = clock.Add(24 * time.Hour)
	l.refused(with(target, cursor), http.StatusConflict, cursorRestart)
	if w := l.window(target); !strings.Contains(l.payload(*w.page.NextCursor), fmt.Sprintf(`"exp":%d,`, clock.Unix()+2*86400)) {
		t.Error("a new chain does not begin anew")
	}
}

func cursorsSurviveRestart(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	again := laneOver(t, l.path)
	again.lister.Keyring = listing.NewKeyring(l.lister.Keyring.Path(), listing.DefaultPolicy())
	if got := again.window(with(runsV2, cursor)).rows[0]["id"]; got != "s0010" {
		t.Errorf("%v", got)
	}
}

func rotationKeepsVerifying(t *testing.T) {
	l := newLane(t, numbered(60))
	cursor := l.began(runsV2 + "&per_page=5")
	if _, err := l.lister.Keyring.Rotate(t.Context(), l.now); err != nil {
		t.Fatal(err)
	}
	next := *l.window(with(runsV2+"&per_page=5", cursor)).page.NextCursor
	if a, b := strings.Split(cursor, ".")[1], strings.Split(next, ".")[1]; a == b || b != l.keys().Active {
		t.Errorf("signed with %s, then with %s; active is %s", a, b, l.keys().Active)
	}
	l.now = clock.Add(24*time.Hour - time.Second)
	l.window(with(runsV2+"&per_page=5", cursor))
}

func removedKey(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	if _, err := l.lister.Keyring.Revoke(t.Context(), strings.Split(cursor, ".")[1], l.now); err != nil {
		t.Fatal(err)
	}
	l.refused(with(runsV2, cursor), http.StatusConflict, cursorRestart)
	l.window(runsV2)
}

func keysAreNotBearers(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	secured := func(token string) *studio.Server {
		return open(t, l.path, func(c *studio.Config) { c.Token, c.Sources.Windows = token, l.lister })
	}
	for _, token := range []string{"first-token", "second-token"} {
		if rec := call(t, secured(token).Handler(), http.MethodGet, with(runsV2, cursor), "", "Authorization", "Bearer "+token); rec.Code != http.StatusOK {
			t.Errorf("under another bearer: %d %s", rec.Code, rec.Body)
		}
	}
	if _, err := l.lister.Keyring.Revoke(t.Context(), l.keys().Active, l.now); err != nil {
		t.Fatal(err)
	}
	if rec := call(t, secured("first-token").Handler(), http.MethodGet, runsV2, "", "Authorization", "Bearer first-token"); rec.Code != http.StatusOK {
		t.Errorf("the bearer under other keys: %d", rec.Code)
	}
	// A key's secret is no bearer.
	for _, key := range l.keys().Keys {
		want(t, call(t, secured("first-token").Handler(), http.MethodGet, runsV2, "", "Authorization", "Bearer "+key.Secret), http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
	}
}

func missingCapabilities(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	whole := func() {
		t.Helper()
		if rec := l.call("/api/runs/"); rec.Code != http.StatusOK {
			t.Errorf("version 1: %d", rec.Code)
		}
	}
	l.sql("DELETE FROM listing_store_identity")
	l.refusedAll(http.StatusServiceUnavailable, notReady, runsV2, sessionsV2, with(runsV2, cursor))
	if n := l.value("SELECT count(*) FROM listing_store_identity"); n != "0" {
		t.Error("a listing made an identity")
	}
	whole()
	path := l.lister.Keyring.Path()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	l.refusedAll(http.StatusServiceUnavailable, notReady, runsV2, with(runsV2, cursor))
	// The form of a cursor comes before the keys that could verify it.
	l.refused(with(runsV2, "garbage"), http.StatusBadRequest, cursorInvalid)
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 0 {
		t.Errorf("a listing made %v, %v", entries, err)
	}
	whole()
}

func limitMayChange(t *testing.T) {
	l := newLane(t, numbered(30))
	a := l.window(runsV2 + "&per_page=3")
	b := l.window(a.next(runsV2 + "&per_page=7&exact_total=true"))
	c := l.window(b.next(runsV2 + "&exact_total=false"))
	if got := ids(append(append(a.rows, b.rows...), c.rows...)); got != strings.Join(strings.Fields(ids(listed(30)))[:20], " ") || *b.total.Value != 30 || c.total.Value != nil {
		t.Errorf("%s, totals %v %v", got, b.total, c.total)
	}
}

// listed are n rows of numbered, in order.
func listed(n int) (rows []map[string]any) {
	for i := range n {
		rows = append(rows, map[string]any{"id": fmt.Sprintf("s%04d", i)})
	}
	return rows
}

func equivalentFilters(t *testing.T) {
	l := newLane(t, numbered(30)+"; UPDATE sessions SET invocation_kind = 'show-play'")
	for _, pair := range [][2]string{
		{"&status=done&status=running", "&status=running&status=finished&status=completed&status=success&status=done&status=done"},
		{"&status=canceled&status=completed", "&status=completed&status=cancelled"},
		{"&kind=show&kind=play", "&kind=play&kind=show&kind=play"},
		{"&project_null=true&project=x", "&project_null=1"},
		{"&search=&playbook=", "&project="},
	} {
		cursor := l.began(runsV2 + "&per_page=3" + pair[0])
		if got := l.window(with(runsV2+"&per_page=3"+pair[1], cursor)).ids(); got != "s0003 s0004 s0005" {
			t.Errorf("%v: %s", pair, got)
		}
	}
}

func differentFilters(t *testing.T) {
	l := newLane(t, numbered(30))
	for _, pair := range [][2]string{
		{"&search=number", "&search=NUMBER"}, {"&search=number", "&search=number+"}, {"&status=completed", "&status=done"}, {"&status=completed", "&status=completed&status=failed"},
		{"", "&status=completed"}, {"&project_null=true", ""}, {"&search=number", "&playbook=number"}, {"&tag=", ""},
	} {
		w := l.window(runsV2 + "&per_page=3" + pair[0])
		if w.page.NextCursor == nil {
			w = l.window(runsV2 + "&per_page=3")
			pair[0], pair[1] = pair[1], pair[0]
		}
		l.refused(w.next(runsV2+"&per_page=3"+pair[1]), http.StatusConflict, cursorRestart)
	}
}

func foreignContextsLookAlike(t *testing.T) {
	a, b := newLane(t, numbered(30)), newLane(t, numbered(30))
	b.lister.Keyring = a.lister.Keyring // so that only the context is foreign
	b.sql("UPDATE listing_store_identity SET incarnation = '11111111-2222-4333-8444-555555555555'")
	cursor := a.began(runsV2)
	other := *b.lister
	other.StoreID = "team"
	named := open(t, a.path, func(c *studio.Config) {
		other.Store = c.Sources.Presence.(*store.View)
		c.Sources.Windows = &other
	})
	for name, rec := range map[string]fmt.Stringer{
		"endpoint": a.call(with(sessionsV2, cursor)).Body, "incarnation": b.call(with(runsV2, cursor)).Body,
		"store": call(t, named.Handler(), http.MethodGet, with(runsV2, cursor), "").Body, "scope": a.call(with(runsV2, a.forge(strings.Replace(a.payload(cursor), "store-access/1", "store-access/9", 1)))).Body,
	} {
		if rec.String() != cursorRestart {
			t.Errorf("%s: %s", name, rec)
		}
	}
}

func incarnationRotation(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	// A copy is no store of its own until the maintenance says so.
	backup := filepath.Join(t.TempDir(), "copy.db")
	s, err := store.OpenReadOnly(t.Context(), l.path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clone := laneOver(t, backup)
	clone.lister.Keyring = l.lister.Keyring
	clone.refusedAll(http.StatusServiceUnavailable, notReady, runsV2, with(runsV2, cursor))
	rotate := func(path string) {
		t.Helper()
		s, err := store.Open(t.Context(), path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.RotateIdentity(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	rotate(backup)
	clone.refused(with(runsV2, cursor), http.StatusConflict, cursorRestart)
	clone.window(runsV2)
	// The original goes on, until it is rotated under the running daemon.
	l.window(with(runsV2, cursor))
	rotate(l.path)
	l.refused(with(runsV2, cursor), http.StatusConflict, cursorRestart)
}

func identityIsStable(t *testing.T) {
	l := newLane(t, numbered(30))
	const query = "SELECT incarnation FROM listing_store_identity"
	before := l.value(query)
	cursor := l.began(runsV2)
	l.sql("UPDATE sessions SET name = 'renamed'; VACUUM")
	if _, err := store.Migrate(t.Context(), l.path, store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	if after := storetest.Value(t, l.path, query); after != before || len(before) != 36 {
		t.Errorf("%s became %s", before, after)
	}
	l.window(with(runsV2, cursor))
}

func cursorGrantsNothing(t *testing.T) {
	l := newLane(t, numbered(30))
	cursor := l.began(runsV2)
	secured := open(t, l.path, func(c *studio.Config) { c.Token, c.Sources.Windows = "configured", l.lister })
	want(t, call(t, secured.Handler(), http.MethodGet, with(runsV2, cursor), ""), http.StatusUnauthorized, `{"detail":"Unauthorized"}`)
	if rec := call(t, secured.Handler(), http.MethodGet, with(runsV2, cursor), "", "Authorization", "Bearer configured"); rec.Code != http.StatusOK {
		t.Errorf("%d", rec.Code)
	}
}
