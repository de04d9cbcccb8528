package protocol

// BaseWords are the words of the base vocabulary, by type, where the extended
// one has more.
var BaseWords = map[string][]string{
	"RunResult": words(baseRunResults),
	"ErrorCode": words(baseCodes),
}

func words[W ~string](list []W) []string {
	out := make([]string, len(list))
	for i, word := range list {
		out[i] = string(word)
	}
	return out
}
