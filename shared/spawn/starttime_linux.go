package spawn

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// startField is the place of a process's start time in /proc/<pid>/stat,
// counted from the field after the parenthesised name, which is the third.
const startField = 22 - 3

// startTime is when a process started, in the kernel's own unit.
func startTime(pid int) (string, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", err
	}
	s := string(b)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) <= startField {
		return "", errors.New("its stat line is short")
	}
	return fields[startField], nil
}
