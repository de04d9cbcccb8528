package rehearsal

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// ids names the things of one answer. Names depend on the request's bytes
// alone: the same request gets the same names, and since a conversation only
// grows, no two answers of one conversation share any, not even over a restart
// of the server.
type ids struct{ seed [sha256.Size]byte }

func idsOf(body []byte) ids { return ids{sha256.Sum256(body)} }

// name is prefix and n hex digits (at most 64) that depend on the seed, the
// prefix and i.
func (d ids) name(prefix string, i, n int) string {
	h := sha256.New()
	h.Write(d.seed[:])
	h.Write([]byte(prefix))
	h.Write([]byte(strconv.Itoa(i)))
	return prefix + hex.EncodeToString(h.Sum(nil))[:n]
}

// paddedBytes is what the OpenAI wires fill up deltas to, so that their sizes
// on the network say nothing about the text.
const paddedBytes = 16

func (d ids) padding(i int, piece string) string {
	return d.name("", i, paddedBytes-len(piece)%paddedBytes)
}

// signature is what the Anthropic wire signs a thinking block with. It depends
// on the text, so a block that comes back changed is noticed.
func signature(thinking string) string {
	sum := sha256.Sum256([]byte("rehearsal thinking\n" + thinking))
	return "EqoBCkgIChABGAIiQ" + base64.StdEncoding.EncodeToString(sum[:])
}

// seal is the encrypted content of a reasoning item of the Responses wire:
// half of it proves the other half.
func seal(item string) string {
	head := sha256.Sum256([]byte("rehearsal reasoning\n" + item))
	proof := sha256.Sum256(head[:])
	return "gAAAAA" + base64.URLEncoding.EncodeToString(append(head[:], proof[:]...))
}

func sealed(content string) bool {
	if len(content) < 6 || content[:6] != "gAAAAA" {
		return false
	}
	raw, err := base64.URLEncoding.DecodeString(content[6:])
	if err != nil || len(raw) != 2*sha256.Size {
		return false
	}
	return sha256.Sum256(raw[:sha256.Size]) == [sha256.Size]byte(raw[sha256.Size:])
}

// Calls that reasoning preceded are told from others by their names, so that a
// later request can be checked for having kept that reasoning without the
// server remembering its answers.
const (
	thoughtfulUse  = "toolu_01r"
	thoughtfulCall = "fc_0r"
	nonceDigits    = 32
)

// toolUse names a call of the Anthropic wire.
func (d ids) toolUse(i int, reasoned bool) string {
	if reasoned {
		return d.name(thoughtfulUse, i, 21)
	}
	return d.name("toolu_01", i, 22)
}

// reasoningItem names the i-th reasoning item of the Responses wire.
func (d ids) reasoningItem(i int) string {
	return fmt.Sprintf("rs_0%s%02x", d.name("", 0, nonceDigits), i)
}

// functionCall names the i-th call item of the Responses wire; after is the
// number of the reasoning item it follows, negative for none.
func (d ids) functionCall(i, after int) string {
	if after < 0 {
		return d.name("fc_0", i, nonceDigits+4)
	}
	return fmt.Sprintf("%s%s%02x%02x", thoughtfulCall, d.name("", 0, nonceDigits), after, i)
}

// reasoningOf names the reasoning item that the named call item follows.
func reasoningOf(call string) string {
	rest := strings.TrimPrefix(call, thoughtfulCall)
	return "rs_0" + rest[:min(len(rest), nonceDigits+2)]
}
