//go:build !agents

package e2e

// confined runs the tests as they are: none of them speaks to a network.
func confined(run func() int) int { return run() }
