// Package script owns the agent's scripts: what each is called, what argument
// it takes, and how it behaves. A script is made afresh for each process and
// keeps nothing between turns but what its session holds.
//
// What a script says is fixed, to the byte, by the prompt and the working
// directory: nothing in it is random and no time is told. Scripts that wait do
// so on a timer and on the turn's context, and end with it; those that are
// there to misbehave (hang, deaf, stubborn, asleep) say so, and the last three
// end by themselves after some minutes, so that a forgotten one is no leak.
package script
