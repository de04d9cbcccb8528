package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// rank orders a file among the others: by its first time, a fork after what it
// was forked from, then by path. It is the same however far the file has
// grown, once it holds a time.
type rank struct {
	at   int64 // Unix microseconds
	fork bool
}

// noTime is the rank of a file that holds no time, behind all others.
const noTime = math.MaxInt64

// queued is a file that is to be read.
type queued struct {
	rank
	path string
	// known says that the ledger may have a row of it.
	known bool
}

func (q queued) compare(other queued) int {
	return cmp.Or(cmp.Compare(q.at, other.at), cmp.Compare(bit(q.fork), bit(other.fork)), strings.Compare(q.path, other.path))
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// text is the rank of a file at path as the ledger has it: texts compare as
// ranks do.
func (r rank) text(path string) string {
	first := "~"
	if r.at != noTime {
		first = fmt.Sprintf("%020d", r.at)
	}
	return fmt.Sprintf("%s %d %s", first, bit(r.fork), path)
}

// rankOf reads what text wrote.
func rankOf(text string) rank {
	first, rest, _ := strings.Cut(text, " ")
	r := rank{at: noTime, fork: strings.HasPrefix(rest, "1 ")}
	if at, err := strconv.ParseInt(first, 10, 64); err == nil {
		r.at = at
	}
	return r
}

// headLines and headBytes are how far the beginning of a file is looked at for
// its rank.
const (
	headLines = 50
	headBytes = 1 << 20
)

// rank looks a file's rank up in its first lines. A file that cannot be read
// has none; reading it will say why.
func (i *importer) rank(ctx context.Context, path string) rank {
	r := rank{at: noTime}
	f, _, err := i.open(path)
	if err != nil {
		return r
	}
	defer func() { _ = f.Close() }() // only read
	i.lines.reset(ctx, io.LimitReader(f, headBytes), 0, 0)
	for range headLines {
		l, err := i.lines.next()
		if err != nil || !l.finished() {
			break
		}
		var head struct {
			Timestamp  string          `json:"timestamp"`
			ForkedFrom json.RawMessage `json:"forkedFrom"`
			Payload    struct {
				ForkedFromID string `json:"forked_from_id"`
			} `json:"payload"`
		}
		var shape *json.UnmarshalTypeError
		if err := json.Unmarshal(l.data, &head); err != nil && !errors.As(err, &shape) {
			continue
		}
		if head.ForkedFrom != nil || head.Payload.ForkedFromID != "" {
			r.fork = true
		}
		if at, err := time.Parse(time.RFC3339Nano, head.Timestamp); err == nil && at.UnixMicro() >= 0 {
			if r.at == noTime {
				r.at = at.UnixMicro()
			}
			if r.fork || l.number > 5 {
				break
			}
		}
	}
	return r
}
