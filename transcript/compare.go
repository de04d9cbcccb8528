package transcript

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"strings"

	"podium.local/session"
)

// ledgerPage is how many of the ledger's rows are looked at at once.
const ledgerPage = 500

// compare puts the files found beside the ledger's rows, both in order of
// path: what is new goes into the queue, what is not there any more is marked.
// With names only these rows are looked at.
func (i *importer) compare(ctx context.Context, files []found, names []string) error {
	slices.SortFunc(files, func(a, b found) int { return strings.Compare(a.path, b.path) })
	var gone []string
	mark := func() error {
		i.report.Gone += len(gone)
		err := i.sink.ImportGone(ctx, string(i.opts.Tool), gone)
		gone = gone[:0]
		return err
	}
	n := 0
	for row, err := range i.ledger(ctx, names) {
		if err != nil {
			return err
		}
		for ; n < len(files) && files[n].path < row.Path; n++ {
			i.consider(ctx, files[n], nil)
		}
		if n < len(files) && files[n].path == row.Path {
			i.consider(ctx, files[n], &row)
			n++
			continue
		}
		if !row.GoneAt.IsZero() {
			continue
		}
		if _, err := os.Lstat(row.Path); errors.Is(err, os.ErrNotExist) {
			gone = append(gone, row.Path)
		}
		if len(gone) == ledgerPage {
			if err := mark(); err != nil {
				return err
			}
		}
	}
	for ; n < len(files) && context.Cause(ctx) == nil; n++ {
		i.consider(ctx, files[n], nil)
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	i.prog.FilesTotal = len(i.queue)
	slices.SortFunc(i.queue, queued.compare)
	if len(gone) == 0 {
		return nil
	}
	return mark()
}

// ledger gives the tool's rows, those of names alone where there are any, in
// order of path and without what the parser left there.
func (i *importer) ledger(ctx context.Context, names []string) iter.Seq2[session.ImportFile, error] {
	tool := string(i.opts.Tool)
	slices.Sort(names)
	return func(yield func(session.ImportFile, error) bool) {
		after := ""
		for more := true; more; {
			var rows []session.ImportFile
			var err error
			if names == nil {
				rows, err = i.sink.ImportFilesAfter(ctx, tool, after, ledgerPage)
				more = len(rows) == ledgerPage
			} else {
				n := min(len(names), ledgerPage)
				rows, err = i.sink.ImportFiles(ctx, tool, names[:n])
				names, more = names[n:], len(names) > n
			}
			if err != nil {
				yield(session.ImportFile{}, err)
				return
			}
			for _, row := range rows {
				if after = row.Path; !yield(row, nil) {
					return
				}
			}
		}
	}
}

// consider queues a file that is new or another than its row says.
func (i *importer) consider(ctx context.Context, f found, row *session.ImportFile) {
	switch {
	case row != nil && row.Size == f.size && row.ModTime.UnixNano() == f.modified && row.LastError == "" && row.GoneAt.IsZero():
		i.report.Unchanged++
		i.report.refuse(*row)
		return
	case !i.opts.Since.IsZero() && f.modified < i.opts.Since.UnixNano():
		i.report.Older++
		return
	}
	q := queued{path: f.path, known: row != nil}
	unread := f.size
	if row != nil {
		q.rank = rankOf(row.Rank)
		unread -= row.Cursor
	}
	fresh := row == nil || row.Cursor == 0
	if !fresh {
		_, fresh = refusal(i.opts.Tool, *row)
	}
	if fresh || q.rank.at == noTime {
		q.rank = i.rank(ctx, f.path)
	}
	i.queue = append(i.queue, q)
	i.prog.BytesTotal += max(0, unread)
}
