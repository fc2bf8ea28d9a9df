// Package machine tests what a run leaves behind when the machine fails it: the
// program is killed at random moments, the disk is full at each write, files and
// directories may not be read or written.
//
// It promises that no matter what happens, out/tables holds the tables of one run,
// whole and each with its manifest, that out/state.json is old or new, and that
// a new one is beside new tables only; and that a run which could end says
// which file is to blame, and what to try.
//
// The program is the real one, in a process of its own; the API is served on
// loopback. Two environment variables change how often it is killed:
// MACHINE_KILLS (60 by default; 1000 in the nightly run) and MACHINE_SEED, which
// repeats the random moments of an earlier run, as far as a machine can. It
// needs Linux; full and read-only disks need the right to mount, else they are
// skipped. It holds no code but tests.
package machine
