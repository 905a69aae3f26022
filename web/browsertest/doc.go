// Package browsertest has the tests of the page in a real Chromium. They are skipped without one. Screenshots of each
// page are in the directory that $TOOLRUN_SCREENSHOTS names, or in a temporary one.
package browsertest
