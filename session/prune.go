package session

// Prune returns the conversation without the content of old tool results,
// whose summaries stay: those before the newest protected requests of a
// person. The log keeps everything; this is for one request. Below minTokens of
// estimated saving, and with minTokens 0, the conversation comes back as it is.
func Prune(items []Item, protected int, minTokens int64) []Item {
	end := prunable(items, protected)
	var bytes int64
	for _, i := range items[:end] {
		bytes += int64(len(i.Result.Content))
	}
	if minTokens <= 0 || bytes/bytesPerToken < minTokens {
		return items
	}
	out := append([]Item(nil), items...)
	for i := range out[:end] {
		out[i].Result.Content = ""
	}
	return out
}

// prunable is where the protected part begins.
func prunable(items []Item, protected int) int {
	if protected <= 0 {
		return len(items)
	}
	for at := len(items) - 1; at >= 0; at-- {
		if items[at].Kind != KindInput || items[at].Role != RoleUser {
			continue
		}
		if protected--; protected == 0 {
			return at
		}
	}
	return 0
}
