package vfs

// IgnoreCase makes a project on disk take its host for one that ignores case in names.
func IgnoreCase(p *Project) { p.core.b.(*disk).loose = true }
