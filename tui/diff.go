package tui

import (
	"maps"
	"slices"
	"strings"
)

// diffRow is one line of a diff; mark is '+', '-' or ' '.
type diffRow struct {
	mark byte
	text string
}

// diffCells bounds the work for one diff: beyond it everything between the
// common beginning and end is shown as replaced.
const diffCells = 250_000

// diffLines compares two texts line by line.
func diffLines(before, after string) []diffRow {
	a, b := splitLines(before), splitLines(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var rows []diffRow
	add := func(mark byte, lines []string) {
		for _, l := range lines {
			rows = append(rows, diffRow{mark, l})
		}
	}
	add(' ', a[:head])
	rows = append(rows, diffMiddle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	add(' ', a[len(a)-tail:])
	return rows
}

// diffMiddle finds a longest common subsequence.
func diffMiddle(a, b []string) []diffRow {
	var rows []diffRow
	i, j := 0, 0
	if len(a)*len(b) <= diffCells {
		common := make([][]int32, len(a)+1)
		for x := range common {
			common[x] = make([]int32, len(b)+1)
		}
		for x := len(a) - 1; x >= 0; x-- {
			for y := len(b) - 1; y >= 0; y-- {
				if a[x] == b[y] {
					common[x][y] = common[x+1][y+1] + 1
				} else {
					common[x][y] = max(common[x+1][y], common[x][y+1])
				}
			}
		}
		for i < len(a) && j < len(b) {
			switch {
			case a[i] == b[j]:
				rows = append(rows, diffRow{' ', a[i]})
				i++
				j++
			case common[i+1][j] >= common[i][j+1]:
				rows = append(rows, diffRow{'-', a[i]})
				i++
			default:
				rows = append(rows, diffRow{'+', b[j]})
				j++
			}
		}
	}
	for ; i < len(a); i++ {
		rows = append(rows, diffRow{'-', a[i]})
	}
	for ; j < len(b); j++ {
		rows = append(rows, diffRow{'+', b[j]})
	}
	return rows
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
