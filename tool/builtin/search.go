package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"regexp/syntax"

	"podium.local/tool"
)

const (
	// maxLine is how much of a line is searched, in bytes.
	maxLine = 1 << 20
	// maxMultiline is the largest file that is searched as one text, in bytes.
	maxMultiline = 32 << 20
	// sniff is how much of a file is looked at to tell whether it is binary.
	sniff = 8 << 10
)

// search looks through one file after the other.
type search struct {
	ctx       context.Context
	re        *regexp.Regexp
	multiline bool
	out       *findings
	lines     *lineReader
	// quick is set when a file in which re matches nowhere has no matching line.
	quick bool
	// named is set when a file was asked for, not a folder.
	named bool

	binary, tooLarge, unread int
}

func newSearch(ctx context.Context, re *regexp.Regexp, multiline bool, out *findings) *search {
	return &search{ctx: ctx, re: re, multiline: multiline, out: out,
		lines: newLineReader(nil, maxLine), quick: !endsOfText(re)}
}

// endsOfText says whether an expression asks for the ends of the whole text,
// which are other places in a file than in a line.
func endsOfText(re *regexp.Regexp) bool {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	return err != nil || asksEnds(tree)
}

func asksEnds(tree *syntax.Regexp) bool {
	if tree.Op == syntax.OpBeginText || tree.Op == syntax.OpEndText {
		return true
	}
	for _, sub := range tree.Sub {
		if asksEnds(sub) {
			return true
		}
	}
	return false
}

// file searches one file. Errors of the file are counted; the error returned
// is errStop or the context's.
func (s *search) file(f io.Reader, path string) error {
	s.lines.reset(contextReader{s.ctx, f})
	head, err := s.lines.in.Peek(sniff)
	if err != nil && !errors.Is(err, io.EOF) {
		return s.failed(err)
	}
	if bytes.IndexByte(head, 0) >= 0 {
		s.binary++
		return nil
	}
	s.out.open(path)
	if s.multiline {
		err = s.wholeText()
	} else {
		err = s.byLine()
	}
	if errors.Is(err, errNextFile) {
		err = nil
	}
	if err == nil {
		return s.out.close()
	}
	return s.failed(err)
}

// failed counts a file that could not be read and goes on, unless the search
// is over.
func (s *search) failed(err error) error {
	var pe *tool.PathError
	switch {
	case errors.Is(err, errStop), s.ctx.Err() != nil:
		return err
	case errors.As(err, &pe):
		// Gone or something else by now.
	default:
		s.unread++
	}
	return nil
}

func (s *search) byLine() error {
	if s.quick {
		all, err := s.lines.in.Peek(s.lines.in.Size())
		if errors.Is(err, io.EOF) && !bytes.Contains(all, []byte("\r\n")) && !s.re.Match(all) {
			return nil
		}
	}
	for {
		line, cut, err := s.lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := s.out.line(line, cut, s.re.FindIndex(line)); err != nil {
			return err
		}
	}
}

// wholeText searches a file as one text, in which a match may span lines.
func (s *search) wholeText() error {
	buf := bounded{max: maxMultiline}
	if _, err := s.lines.in.WriteTo(&buf); buf.over {
		s.tooLarge++
		return nil
	} else if err != nil {
		return err
	}
	text := buf.buf.Bytes()
	next, stop := iter.Pull(s.spans(text))
	defer stop()
	m, found := next()
	for begin := 0; begin < len(text) && found; {
		end := len(text)
		if i := bytes.IndexByte(text[begin:], '\n'); i >= 0 {
			end = begin + i
		}
		for found && m.last() < begin {
			m, found = next()
		}
		var at []int
		if found && m.from <= end {
			at = []int{max(m.from-begin, 0), end - begin}
		}
		if err := s.out.line(bytes.TrimSuffix(text[begin:end], []byte("\r")), 0, at); err != nil {
			return err
		}
		begin = end + 1
	}
	return s.ctx.Err()
}

// span is a match in a text: text[from:to].
type span struct{ from, to int }

// last is the last byte that belongs to a match, its place when it is empty.
func (m span) last() int { return max(m.from, m.to-1) }

// spans finds the matches in order, some hundreds at a time, since a text can
// hold more of them than memory should.
func (s *search) spans(text []byte) iter.Seq[span] {
	const batch = 512
	return func(yield func(span) bool) {
		// Each batch begins at a line, so that what an expression says about line
		// ends and words is judged as in the whole text.
		for begin, done := 0, 0; begin < len(text) && s.ctx.Err() == nil; {
			found := s.re.FindAllIndex(text[begin:], batch)
			for _, m := range found {
				sp := span{begin + m[0], begin + m[1]}
				if sp.from < done {
					continue
				}
				if !yield(sp) {
					return
				}
				done = sp.to
			}
			if len(found) < batch {
				return
			}
			if next := bytes.LastIndexByte(text[:done], '\n') + 1; next > begin {
				begin = next
				continue
			}
			i := bytes.IndexByte(text[done:], '\n')
			if i < 0 {
				return
			}
			begin = done + i + 1
		}
	}
}

// notes say what was left out.
func (s *search) notes() string {
	n := unreadNote(s.unread)
	if s.named && s.binary > 0 {
		n += " (the file is binary)"
	}
	if s.tooLarge > 0 {
		n += fmt.Sprintf(" (%d file(s) over %d MiB left out)", s.tooLarge, maxMultiline>>20)
	}
	return n
}
