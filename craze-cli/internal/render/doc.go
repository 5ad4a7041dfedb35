// Package render turns what the commands know into text for a person: tables,
// transcript lines, asks. Everything an agent or a client wrote is cleaned of
// what a terminal would act on before it is returned. It is pure: no I/O, no
// clock, no state.
package render
