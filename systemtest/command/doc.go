// Package command holds the tests of the toolrun command that need the program itself: its processes, signals,
// terminals and pipes, the disks and the confinement that it meets, and the compilers of the modules that it adds.
package command
