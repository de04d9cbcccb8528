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
