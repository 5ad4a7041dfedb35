// Package bench measures the main job on the built binaries: a burst of chunks
// through a host beside a bare reader of the same agent, attaching to a long
// session, and what an idle host holds.
//
// It is benchmarks alone, in the form benchstat reads. Ratios are taken within
// one run, since the machine's speed differs from one to the next.
package bench
