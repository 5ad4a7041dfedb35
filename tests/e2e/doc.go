// Package e2e holds the tests of the built binaries: the main job, what happens
// when any part of it is killed, and, under the build tag agents, the same on
// real agents.
//
// Each test runs in a scratch home of its own and ends by checking that no
// process of it is left and no zombie was made. It is tests alone.
package e2e
