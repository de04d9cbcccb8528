package transcript

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// idDomain is hashed into every id; another number would import everything
// anew.
const idDomain = "podium-import/1"

// SessionID is the id of a vendor's session here: a UUID of version 8.
// subagent is empty for the session itself.
func SessionID(tool Tool, vendorID, subagent string) string {
	return makeID("session", string(tool), vendorID, subagent).String()
}

// makeID hashes texts into a UUID of version 8. Each is preceded by its
// length, so that no two lists of texts read the same.
func makeID(texts ...string) uuid.UUID {
	sum := hashTexts(texts...)
	var id uuid.UUID
	copy(id[:], sum[:])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id
}

func hashTexts(texts ...string) [sha256.Size]byte {
	h := sha256.New()
	var size [8]byte
	for _, text := range append([]string{idDomain}, texts...) {
		binary.BigEndian.PutUint64(size[:], uint64(len(text)))
		h.Write(size[:])
		h.Write([]byte(text))
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// requestKey names a request to a model over all files.
func requestKey(texts ...string) [16]byte {
	return [16]byte(makeID(append([]string{"request"}, texts...)...))
}

// recordID is the id of the first entry of a record that the vendor gave an
// id: that id where it is a UUID, else one made of it.
func recordID(tool Tool, vendorID string) string {
	if id, err := uuid.Parse(vendorID); err == nil && len(vendorID) == 36 {
		return id.String()
	}
	return makeID("record", string(tool), vendorID).String()
}

// validUUID reports whether text is a UUID in the usual form.
func validUUID(text string) bool {
	_, err := uuid.Parse(text)
	return err == nil && len(text) == 36
}

// uuidTime is the time in milliseconds that a UUID of version 7 was made at;
// ok is false for other texts.
func uuidTime(text string) (ms int64, ok bool) {
	id, err := uuid.Parse(strings.TrimSpace(text))
	if err != nil || len(text) != 36 || id.Version() != 7 {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(append([]byte{0, 0}, id[:6]...))), true
}
