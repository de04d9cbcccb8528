package listing_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"podium.local/listing"
)

func TestCursor_KeepsExactNumbersAndAnyID(t *testing.T) {
	k := newKeyring(t)
	ids := []string{"5f0c", "a/b%c d", "\"\\", "\x00\x01", "\xff\xfe", "日本語", " ", ".", strings.Repeat("\"", listing.MaxID), strings.Repeat("y", listing.MaxID), "\u2028<&>"}
	values := []listing.Value{
		{}, listing.Int(1<<53 + 1), listing.Int(math.MinInt64), listing.Float(0.1 + 0.2), listing.Float(math.SmallestNonzeroFloat64),
		listing.Float(math.MaxFloat64), listing.Float(math.Copysign(0, -1)), listing.Float(0), listing.Int(0),
	}
	for _, id := range ids {
		for _, cost := range values {
			for _, at := range values {
				for _, order := range []listing.Order{listing.Recent, listing.Cost} {
					key := listing.Key{Cost: cost, Time: at, ID: id}
					if order == listing.Recent {
						key.Cost = listing.Value{}
					}
					text := listing.Seal(t, k, order, key, start)
					gotOrder, got, err := listing.Unseal(t, k, text, start)
					if err != nil || gotOrder != order || got != key {
						t.Fatalf("%.20q: %v %v %v", id, gotOrder, got, err)
					}
					if len(text) > listing.MaxCursor {
						t.Fatalf("%.20q: %d bytes", id, len(text))
					}
				}
			}
		}
	}
}

func TestCursor_HasTheStatedForm(t *testing.T) {
	k := newKeyring(t)
	text := listing.Seal(t, k, listing.Cost, listing.Key{Cost: listing.Float(1.5), Time: listing.Int(7), ID: "5f0c"}, start)
	parts := strings.Split(text, ".")
	if len(parts) != 4 || parts[0] != "lc1" || strings.ContainsAny(text, "=+/ ") || len(parts[1]) > 32 {
		t.Fatalf("%s", text)
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"cmp":1,"elig":1,"ep":"runs","exp":1796155200,"fp":"f","iat":1796068800,"inc":"i","key":{"c":["f","3ff8000000000000"],"id":"5f0c","u":["i","7"]},"row":1,"scope":"store-access/1","sort":"cost","store":"local","v":1}`
	if string(payload) != want {
		t.Errorf("payload %s\nwant    %s", payload, want)
	}
}

// TestCursor_TheMACHasADomainOfItsOwn wants a plain HMAC of the same bytes to
// be something else.
func TestCursor_TheMACHasADomainOfItsOwn(t *testing.T) {
	secret := []byte("0123456789abcdef0123456789abcdef")
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("lc1.k.p"))
	if hmac.Equal(h.Sum(nil), listing.Sign(secret, "lc1.k.p")) {
		t.Error("the signature is a plain HMAC")
	}
}

func TestCursor_EveryChangedByteIsRefused(t *testing.T) {
	k := newKeyring(t)
	text := listing.Seal(t, k, listing.Recent, listing.Key{Time: listing.Float(1), ID: "s"}, start)
	rapid.Check(t, func(rt *rapid.T) {
		i := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		c := rapid.Byte().Draw(rt, "byte")
		if c == text[i] {
			return
		}
		changed := text[:i] + string([]byte{c}) + text[i+1:]
		_, _, err := listing.Unseal(t, k, changed, start)
		code := listing.CodeOf(err)
		if code != listing.CursorInvalid && code != listing.CursorRestart {
			rt.Fatalf("%q at %d: %v", c, i, err)
		}
		// Only a key id of the right form may be unknown rather than wrong.
		if code == listing.CursorRestart && (i < 4 || i > 4+len(strings.Split(text, ".")[1])) {
			rt.Fatalf("%q at %d: %v", c, i, err)
		}
	})
}

// goodPayload is one that passes, to be bent.
const goodPayload = `{"cmp":1,"elig":1,"ep":"runs","exp":1796155200,"fp":"f","iat":1796068800,"inc":"i","key":{"c":["f","3ff8000000000000"],"id":"5f0c","u":null},"row":1,"scope":"store-access/1","sort":"cost","store":"local","v":1}`

func TestCursor_SignedButOutOfItsSchemaIsInvalid(t *testing.T) {
	k := newKeyring(t)
	sign := listing.Signer(t, k)
	if _, _, err := listing.Unseal(t, k, sign(goodPayload), start); err != nil {
		t.Fatal(err)
	}
	bend := func(old, new string) string {
		bent := strings.Replace(goodPayload, old, new, 1)
		if bent == goodPayload {
			t.Fatalf("%s is not in the payload", old)
		}
		return bent
	}
	for name, payload := range map[string]string{
		"no JSON":                   "hello",
		"no object":                 "[1]",
		"null":                      "null",
		"second value":              goodPayload + "{}",
		"duplicate member":          bend(`{"cmp":1,`, `{"cmp":1,"cmp":1,`),
		"duplicate member of key":   bend(`"id":"5f0c"`, `"id":"5f0c","id":"5f0c"`),
		"unknown member":            bend(`"row":1`, `"row":1,"rows":1`),
		"unknown member of key":     bend(`"u":null`, `"u":null,"x":null`),
		"missing member":            bend(`"elig":1,`, ``),
		"missing key":               bend(`"u":null`, `"v":null`),
		"other case":                bend(`"cmp"`, `"Cmp"`),
		"other order of members":    bend(`{"cmp":1,"elig":1,`, `{"elig":1,"cmp":1,`),
		"blank":                     bend(`{"cmp"`, `{ "cmp"`),
		"escape that is not needed": bend(`"5f0c"`, `"\u0035f0c"`),
		"string for a number":       bend(`"exp":1796155200`, `"exp":"1796155200"`),
		"number for a string":       bend(`"ep":"runs"`, `"ep":1`),
		"fraction":                  bend(`"row":1`, `"row":1.0`),
		"exponent":                  bend(`"row":1`, `"row":1e0`),
		"time out of range":         bend(`"exp":1796155200`, `"exp":9223372036854775807`),
		"negative time":             bend(`"iat":1796068800`, `"iat":-1`),
		"unsupported version":       bend(`"v":1`, `"v":2`),
		"unknown order":             bend(`"sort":"cost"`, `"sort":"name"`),
		"cost in recent":            bend(`"sort":"cost"`, `"sort":"recent"`),
		"no cost in cost":           bend(`"c":["f","3ff8000000000000"],`, ``),
		"unknown tag":               bend(`["f",`, `["d",`),
		"short hex":                 bend(`3ff8000000000000`, `3ff800000000000`),
		"capital hex":               bend(`3ff8000000000000`, `3FF8000000000000`),
		"signed hex":                bend(`3ff8000000000000`, `+ff8000000000000`),
		"infinite":                  bend(`3ff8000000000000`, `7ff0000000000000`),
		"not a number":              bend(`3ff8000000000000`, `7ff8000000000001`),
		"integer with a zero":       bend(`["f","3ff8000000000000"]`, `["i","01"]`),
		"integer with a plus":       bend(`["f","3ff8000000000000"]`, `["i","+1"]`),
		"integer minus zero":        bend(`["f","3ff8000000000000"]`, `["i","-0"]`),
		"integer too large":         bend(`["f","3ff8000000000000"]`, `["i","9223372036854775808"]`),
		"one element":               bend(`["f","3ff8000000000000"]`, `["f"]`),
		"three elements":            bend(`["f","3ff8000000000000"]`, `["f","3ff8000000000000","x"]`),
		"plain number":              bend(`["f","3ff8000000000000"]`, `1.5`),
		"nested":                    bend(`["f","3ff8000000000000"]`, `[["f"],"3ff8000000000000"]`),
		"empty id":                  bend(`"id":"5f0c"`, `"id":""`),
		"null id":                   bend(`"id":"5f0c"`, `"id":null`),
		"id as bytes without need":  bend(`"id":"5f0c"`, `"id":["b","NWYwYw"]`),
		"id with another tag":       bend(`"id":"5f0c"`, `"id":["t","NWYwYw"]`),
		"id too long":               bend(`"id":"5f0c"`, `"id":"`+strings.Repeat("x", listing.MaxID+1)+`"`),
		"invalid UTF-8":             bend(`"5f0c"`, "\"\xff\""),
	} {
		_, _, err := listing.Unseal(t, k, sign(payload), start)
		if listing.CodeOf(err) != listing.CursorInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCursor_FormsThatAreNotOneAreInvalid(t *testing.T) {
	k := newKeyring(t)
	good := listing.Seal(t, k, listing.Recent, listing.Key{Time: listing.Float(1), ID: "s"}, start)
	p := strings.Split(good, ".")
	join := func(a, b, c, d string) string { return a + "." + b + "." + c + "." + d }
	for name, text := range map[string]string{
		"no parts":                "lc1",
		"three parts":             p[0] + "." + p[1] + "." + p[2],
		"five parts":              good + ".x",
		"other prefix":            join("lc2", p[1], p[2], p[3]),
		"empty key id":            join(p[0], "", p[2], p[3]),
		"long key id":             join(p[0], strings.Repeat("k", 33), p[2], p[3]),
		"key id with a blank":     join(p[0], "a b", p[2], p[3]),
		"key id not ASCII":        join(p[0], "kéy", p[2], p[3]),
		"empty payload":           join(p[0], p[1], "", p[3]),
		"padded payload":          join(p[0], p[1], p[2]+"=", p[3]),
		"payload with a line end": join(p[0], p[1], p[2][:4]+"\n"+p[2][4:], p[3]),
		"standard base64":         join(p[0], p[1], "+/+/", p[3]),
		"trailing bits":           join(p[0], p[1], "AB", p[3]),
		"short mac":               join(p[0], p[1], p[2], p[3][:40]),
		"long mac":                join(p[0], p[1], p[2], p[3]+"AAAA"),
		"mac with trailing bits":  join(p[0], p[1], p[2], p[3][:42]+"B"),
		"blank in front":          " " + good,
		"not ASCII":               good[:10] + "é" + good[10:],
		"too long":                good + strings.Repeat("A", listing.MaxCursor),
	} {
		_, _, err := listing.Unseal(t, k, text, start)
		if listing.CodeOf(err) != listing.CursorInvalid {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && (strings.Contains(err.Error(), p[2]) || strings.Contains(err.Error(), p[1])) {
			t.Errorf("%s: the error repeats the cursor", name)
		}
	}
}

func TestCursor_AnUnknownKeyIsToldFromAWrongSignature(t *testing.T) {
	k, other := newKeyring(t), newKeyring(t)
	text := listing.Seal(t, other, listing.Recent, listing.Key{Time: listing.Float(1), ID: "s"}, start)
	if _, _, err := listing.Unseal(t, k, text, start); listing.CodeOf(err) != listing.CursorRestart {
		t.Error(err)
	}
	// A payload that no parser survives is not looked at when the key is unknown.
	parts := strings.Split(text, ".")
	parts[2] = base64.RawURLEncoding.EncodeToString([]byte(strings.Repeat("[", 4000)))
	if _, _, err := listing.Unseal(t, k, strings.Join(parts, "."), start); listing.CodeOf(err) != listing.CursorRestart {
		t.Error(err)
	}
}

func FuzzParseCursor(f *testing.F) {
	k := newKeyring(f)
	good := listing.Seal(f, k, listing.Cost, listing.Key{Cost: listing.Float(1), Time: listing.Float(1), ID: "s"}, start)
	for _, seed := range []string{good, "", "lc1...", "lc1.k.AA." + strings.Repeat("A", 43), strings.Repeat(".", 9000)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		again, err := listing.ParseCursor(text)
		switch {
		case err != nil && listing.CodeOf(err) != listing.CursorInvalid:
			t.Fatal(err)
		case err == nil && again != text:
			t.Fatalf("%q reads as %q", text, again)
		}
		if _, _, err := listing.Unseal(t, k, text, start); err == nil && text != good {
			t.Fatalf("forged: %q", text)
		}
	})
}

func FuzzParsePayload(f *testing.F) {
	f.Add([]byte(goodPayload))
	f.Add([]byte(strings.Replace(goodPayload, `"c":["f","3ff8000000000000"],`, "", 1)))
	f.Add([]byte(`{"key":{"c":null,"id":["b","/w"],"u":["i","-1"]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		again, err := listing.RewritePayload(text)
		switch {
		case err != nil && listing.CodeOf(err) != listing.CursorInvalid:
			t.Fatal(err)
		case err == nil && string(again) != string(text):
			t.Fatalf("%s\nreads as %s", text, again)
		}
	})
}
