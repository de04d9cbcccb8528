package listing

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The form of a cursor: lc1.<key id>.<payload>.<mac>, the last two in unpadded
// base64url.
const (
	cursorPrefix = "lc1"
	// MaxCursor is the longest cursor, in bytes.
	MaxCursor = 8192
	// macDomain keeps our signatures apart from every other use of a key.
	macDomain = "podium/listing-cursor/v1\x00"
)

// cursor is what a token says: where to continue and what it is bound to.
type cursor struct {
	endpoint                     Endpoint
	row, comparison, eligibility int
	fingerprint                  string
	order                        Order
	key                          Key
	store, incarnation, scope    string
	issued, expires              time.Time
}

// token is a cursor's text, taken apart and not yet believed.
type token struct {
	signed  string // all but the mac, as it stood
	keyID   string
	payload string // still encoded
	mac     []byte
}

// parseToken checks the outer form of a cursor.
func parseToken(text string) (token, error) {
	if len(text) > MaxCursor {
		return token{}, fail(CursorInvalid, "longer than 8,192 bytes")
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return token{}, fail(CursorInvalid, "not ASCII")
		}
	}
	parts := strings.Split(text, ".")
	if len(parts) != 4 || parts[0] != cursorPrefix {
		return token{}, fail(CursorInvalid, "not of the form lc1.key.payload.mac")
	}
	if !validKeyID(parts[1]) {
		return token{}, fail(CursorInvalid, "not a key id")
	}
	// Only the form is checked; what the payload says is nobody's business yet.
	if _, err := decode64(parts[2]); err != nil || parts[2] == "" {
		return token{}, fail(CursorInvalid, "the payload is not canonical base64url")
	}
	mac, err := decode64(parts[3])
	if err != nil || len(mac) != sha256.Size {
		return token{}, fail(CursorInvalid, "the mac is not 32 bytes of canonical base64url")
	}
	return token{
		signed: strings.Join(parts[:3], "."), keyID: parts[1], payload: parts[2], mac: mac,
	}, nil
}

// decode64 reads unpadded base64url with no freedom in how it is written. The
// standard decoder would skip line ends.
func decode64(text string) ([]byte, error) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, base64.CorruptInputError(0)
	}
	return base64.RawURLEncoding.Strict().DecodeString(text)
}

func macOf(secret []byte, signed string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(macDomain))
	h.Write([]byte(signed))
	return h.Sum(nil)
}

// seal writes a signed cursor.
func (k *Keys) seal(c cursor) string {
	active := k.keys[k.active]
	signed := cursorPrefix + "." + k.active + "." + base64.RawURLEncoding.EncodeToString(c.payload())
	return signed + "." + base64.RawURLEncoding.EncodeToString(macOf(active.secret, signed))
}

// open verifies a token and reads it. Nothing of the payload is looked at
// before its signature was found good.
func (k *Keys) open(t token, now time.Time) (cursor, error) {
	key, ok := k.keys[t.keyID]
	if !ok || key.retired(now) {
		return cursor{}, fail(CursorRestart, "signed with a key that is not in the keyring")
	}
	if !hmac.Equal(macOf(key.secret, t.signed), t.mac) {
		return cursor{}, fail(CursorInvalid, "the signature is wrong")
	}
	payload, err := decode64(t.payload)
	if err != nil {
		return cursor{}, fail(CursorInvalid, "the payload is not canonical base64url")
	}
	return parsePayload(payload)
}

// checkTimes refuses a cursor that could not have been issued, then one that
// is over.
func (c cursor) checkTimes(p Policy, now time.Time) error {
	switch {
	case !c.expires.After(c.issued):
		return fail(CursorInvalid, "it ends before it begins")
	case c.expires.Sub(c.issued) > p.ChainLifetime:
		return fail(CursorInvalid, "it lasts longer than a chain may")
	case c.issued.After(now.Add(p.ClockTolerance)):
		return fail(CursorInvalid, "it was issued in the future")
	case !now.Before(c.expires):
		return fail(CursorRestart, "expired")
	}
	return nil
}

// bound compares what a cursor is bound to with what is asked for now. The
// incarnation is compared later, in the snapshot.
func (c cursor) bound(want cursor) error {
	for _, b := range []struct {
		same bool
		what string
	}{
		{c.endpoint == want.endpoint, "issued for another endpoint"},
		{c.row == want.row, "issued for another form of rows"},
		{c.comparison == want.comparison, "issued under another comparison"},
		{c.fingerprint == want.fingerprint, "issued for another filter"},
		{c.eligibility == want.eligibility, "issued under another rule of eligibility"},
		{c.order == want.order, "issued for another order"},
		{c.store == want.store, "issued for another store"},
		{c.scope == want.scope, "issued for another scope"},
	} {
		if !b.same {
			return fail(CursorRestart, b.what)
		}
	}
	return nil
}

// payloadJSON is the payload. Its members stand in the order of their names.
type payloadJSON struct {
	Comparison  int     `json:"cmp"`
	Eligibility int     `json:"elig"`
	Endpoint    string  `json:"ep"`
	Expires     int64   `json:"exp"`
	Fingerprint string  `json:"fp"`
	Issued      int64   `json:"iat"`
	Incarnation string  `json:"inc"`
	Key         keyJSON `json:"key"`
	Row         int     `json:"row"`
	Scope       string  `json:"scope"`
	Order       string  `json:"sort"`
	Store       string  `json:"store"`
	Version     int     `json:"v"`
}

// keyJSON is the key; c is left out in Recent order.
type keyJSON struct {
	Cost jsontext.Value `json:"c,omitzero"`
	ID   jsontext.Value `json:"id"`
	Time jsontext.Value `json:"u"`
}

// payload is the canonical JSON of a cursor.
func (c cursor) payload() []byte {
	key := keyJSON{ID: encodeID(c.key.ID), Time: encodeValue(c.key.Time)}
	if c.order == Cost {
		key.Cost = encodeValue(c.key.Cost)
	}
	text, err := json.Marshal(payloadJSON{
		Comparison: c.comparison, Eligibility: c.eligibility, Endpoint: string(c.endpoint), Expires: c.expires.Unix(),
		Fingerprint: c.fingerprint, Issued: c.issued.Unix(), Incarnation: c.incarnation, Key: key, Row: c.row, Scope: c.scope,
		Order: string(c.order), Store: c.store, Version: payloadVersion,
	})
	if err != nil {
		// Ids are encoded to ASCII or checked UTF-8, everything else is ours.
		panic("listing: a cursor has no JSON form: " + err.Error())
	}
	return text
}

// maxUnix bounds the seconds of a cursor, so that no sum of them overflows.
const maxUnix = 1 << 40

// parsePayload reads the JSON of a verified cursor. It must be, byte for byte,
// what payload would write for what it says: duplicate, unknown, missing and
// misplaced members, blanks, and second spellings of a value all fail.
func parsePayload(text []byte) (cursor, error) {
	var p payloadJSON
	if err := json.Unmarshal(text, &p, json.RejectUnknownMembers(true)); err != nil {
		return cursor{}, fail(CursorInvalid, "the payload is not of its schema")
	}
	if p.Version != payloadVersion {
		return cursor{}, fail(CursorInvalid, "the payload's version is not supported")
	}
	if p.Issued < 0 || p.Issued > maxUnix || p.Expires < 0 || p.Expires > maxUnix {
		return cursor{}, fail(CursorInvalid, "a time of the payload is out of range")
	}
	c := cursor{
		endpoint: Endpoint(p.Endpoint), row: p.Row, comparison: p.Comparison, eligibility: p.Eligibility, fingerprint: p.Fingerprint,
		order: Order(p.Order), store: p.Store, incarnation: p.Incarnation, scope: p.Scope,
		issued: time.Unix(p.Issued, 0), expires: time.Unix(p.Expires, 0),
	}
	if !c.order.Valid() || (p.Key.Cost != nil) != (c.order == Cost) {
		return cursor{}, fail(CursorInvalid, "the key is not one of the order")
	}
	var ok [3]bool
	if c.key.Cost, ok[0] = decodeValue(p.Key.Cost); p.Key.Cost == nil {
		ok[0] = true
	}
	c.key.Time, ok[1] = decodeValue(p.Key.Time)
	c.key.ID, ok[2] = decodeID(p.Key.ID)
	if ok != [3]bool{true, true, true} || c.key.check(c.order) != nil {
		return cursor{}, fail(CursorInvalid, "a component of the key is malformed")
	}
	if !bytes.Equal(c.payload(), text) {
		return cursor{}, fail(CursorInvalid, "the payload is not in canonical form")
	}
	return c, nil
}

// encodeValue writes null, ["i","<decimal>"] or ["f","<16 hex digits>"]: what
// comes back compares as what was stored.
func encodeValue(v Value) jsontext.Value {
	switch v.kind {
	case KindInt:
		return jsontext.Value(`["i","` + strconv.FormatInt(v.Int(), 10) + `"]`)
	case KindFloat:
		var bits [8]byte
		for i := range bits {
			bits[i] = byte(v.bits >> (56 - 8*i))
		}
		return jsontext.Value(`["f","` + hex.EncodeToString(bits[:]) + `"]`)
	default:
		return jsontext.Value("null")
	}
}

func decodeValue(text jsontext.Value) (Value, bool) {
	if string(text) == "null" {
		return Value{}, true
	}
	tag, digits, ok := decodePair(text)
	if !ok {
		return Value{}, false
	}
	switch tag {
	case "i":
		n, err := strconv.ParseInt(digits, 10, 64)
		return Int(n), err == nil
	case "f":
		bits, err := strconv.ParseUint(digits, 16, 64)
		return Float(math.Float64frombits(bits)), err == nil && len(digits) == 16
	}
	return Value{}, false
}

// decodePair reads ["tag","text"].
func decodePair(text jsontext.Value) (tag, value string, ok bool) {
	var pair []string
	if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
		return "", "", false
	}
	return pair[0], pair[1], true
}

// encodeID writes an id as a string where that needs no escapes, else as
// ["b","<base64url>"]: any bytes come back, and none grows past the bound.
func encodeID(id string) jsontext.Value {
	if plain(id) {
		return jsontext.Value(`"` + id + `"`)
	}
	return jsontext.Value(`["b","` + base64.RawURLEncoding.EncodeToString([]byte(id)) + `"]`)
}

// plain reports whether an id is its own JSON text.
func plain(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] == '"' || id[i] == '\\' || id[i] == 0x7f {
			return false
		}
	}
	return utf8.ValidString(id)
}

func decodeID(text jsontext.Value) (string, bool) {
	if len(text) > 0 && text[0] == '"' {
		var id string
		err := json.Unmarshal(text, &id)
		return id, err == nil
	}
	tag, value, ok := decodePair(text)
	if !ok || tag != "b" {
		return "", false
	}
	id, err := decode64(value)
	return string(id), err == nil
}
