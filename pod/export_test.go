package pod

// LimitHistory makes histories longer than so many bytes too long, before the
// pod has clients.
func (p *Pod) LimitHistory(bytes int) { p.historyLimit = bytes }
