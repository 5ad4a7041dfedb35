package script

import (
	"fmt"
	"strconv"
	"strings"
)

// maxNumber bounds every number of an argument: far over what a test asks
// for, and far under what overflows when one is multiplied by a millisecond.
const maxNumber = 1_000_000_000

// numbers reads an argument of whole numbers from 1, separated by commas, over
// the defaults; "" leaves them all. It refuses more numbers than defaults.
func numbers(arg string, defaults ...int) ([]int, error) {
	if arg == "" {
		return defaults, nil
	}
	parts := strings.Split(arg, ",")
	if len(parts) > len(defaults) {
		return nil, fmt.Errorf("%q: too many numbers", arg)
	}
	for i, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > maxNumber {
			return nil, fmt.Errorf("%q is no whole number from 1 to %d", part, maxNumber)
		}
		defaults[i] = n
	}
	return defaults, nil
}
