package cli

import (
	"slices"
	"strings"

	ucli "github.com/urfave/cli/v2"
)

// permute moves a command's flags before its arguments, which is where the
// library looks for them. What follows "--" is never a flag.
func permute(args []string, commands []*ucli.Command) ([]string, error) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return args, nil
	}
	i := slices.IndexFunc(commands, func(c *ucli.Command) bool { return c.Name == args[0] })
	if i < 0 {
		return args, nil
	}
	takes := takesValue(commands[i])
	var flags, rest []string
	for j := 1; j < len(args); j++ {
		arg := args[j]
		if arg == "--" {
			rest = append(rest, args[j+1:]...)
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		flags = append(flags, arg)
		if !strings.Contains(arg, "=") && takes[strings.TrimLeft(arg, "-")] {
			if j+1 == len(args) {
				return nil, usage("a flag's value is missing")
			}
			j++
			flags = append(flags, args[j])
		}
	}
	return append(append(append([]string{args[0]}, flags...), "--"), rest...), nil
}

// takesValue names the flags of a command that take a value.
func takesValue(c *ucli.Command) map[string]bool {
	out := map[string]bool{}
	for _, f := range c.Flags {
		_, isBool := f.(*ucli.BoolFlag)
		for _, name := range f.Names() {
			out[name] = !isBool
		}
	}
	return out
}

// near is how many letters a typed command may be off.
const near = 2

// nearest is the command a typed word comes closest to, or "".
func nearest(word string, commands []*ucli.Command) string {
	best, at := "", near+1
	for _, c := range commands {
		if d := distance(word, c.Name); d < at {
			best, at = c.Name, d
		}
	}
	return best
}

// distance counts the letters to change, add or drop.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			step := last
			if a[i-1] != b[j-1] {
				step++
			}
			last = row[j]
			row[j] = min(step, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
