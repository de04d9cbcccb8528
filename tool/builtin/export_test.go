package builtin

// DecodeArgs checks arguments as the named tool does.
func DecodeArgs(name string, raw []byte) error {
	var into map[string]any
	return signatures[name].decode(raw, &into)
}

// Ignored says whether rules of an ignore file ignore a path beside it.
func Ignored(rules []byte, rel string, dir bool) bool {
	return decide(parseIgnore(rules), rel, dir) == ignored
}

var signatures = map[string]*signature{
	readName: readSignature, writeName: writeSignature, editName: editSignature,
	globName: globSignature, grepName: grepSignature, bashName: bashSignature,
}

// HeadTail is what a command's output, written in parts, becomes.
func HeadTail(limit int, parts [][]byte) (text string, full int) {
	h := headTail{limit: limit}
	for _, p := range parts {
		h.Write(p)
	}
	return h.text()
}

// NoteRoom is what HeadTail may use for its note.
const NoteRoom = noteRoom
