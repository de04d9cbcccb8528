package pod

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// clockTicks is the unit of times in /proc, per second: USER_HZ, 100 on every
// architecture Go runs on.
const clockTicks = 100

// bootTime is when the system started, in Unix seconds.
func bootTime() (float64, error) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "btime "); ok {
			return strconv.ParseFloat(strings.TrimSpace(rest), 64)
		}
	}
	return 0, fmt.Errorf("no btime in /proc/stat")
}

func processState(pid int) (procState, error) {
	path := fmt.Sprintf("/proc/%d/stat", pid)
	b, err := os.ReadFile(path)
	if err != nil {
		return procState{}, err
	}
	return parseStat(b, path)
}

// parseStat reads the state and the start of a process. Its name, in
// brackets, may hold anything, brackets and spaces too.
func parseStat(b []byte, path string) (procState, error) {
	const (
		state     = 0
		startTime = 19 // fields behind the name, from 0
	)
	end := bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[end+1:]))
	if end < 0 || len(fields) <= startTime {
		return procState{}, fmt.Errorf("%s is not as expected", path)
	}
	ticks, err := strconv.ParseUint(fields[startTime], 10, 64)
	if err != nil {
		return procState{}, fmt.Errorf("%s: start time: %w", path, err)
	}
	boot, err := bootTime()
	if err != nil {
		return procState{}, err
	}
	return procState{
		created: boot + float64(ticks)/clockTicks,
		zombie:  fields[state] == "Z" || fields[state] == "X",
	}, nil
}
