// Package registry has the tools that models can call, and calls them.
package registry
