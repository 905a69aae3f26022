// Package userdirs says where a user's programs keep their files, by the XDG base directory specification or the
// guidelines of Windows and macOS. It asks the environment that it is given, and not that of the process.
package userdirs

import (
	"errors"
	"path/filepath"
	"runtime"
)

// An Env looks up variables, as os.LookupEnv does.
type Env func(name string) (value string, ok bool)

func (e Env) get(name string) string {
	value, _ := e(name)
	return value
}

// home is the user's own directory, or "".
func (e Env) home() string {
	if runtime.GOOS == "windows" {
		return e.get("USERPROFILE")
	}
	return e.get("HOME")
}

// Data is for data that toolrun keeps.
func (e Env) Data() (string, error) {
	if runtime.GOOS == "windows" {
		if dir := e.get("LocalAppData"); dir != "" {
			return filepath.Join(dir, "toolrun"), nil
		}
	}
	if dir := e.get("XDG_DATA_HOME"); filepath.IsAbs(dir) && runtime.GOOS != "darwin" {
		return filepath.Join(dir, "toolrun"), nil
	}
	home := e.home()
	switch {
	case home == "":
		return "", errors.New("no place for data: neither TOOLRUN_DATA nor a home directory is set")
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Application Support", "toolrun"), nil
	}
	return filepath.Join(home, ".local", "share", "toolrun"), nil
}

// EngineCache is for compiled engines.
func (e Env) EngineCache() (string, error) {
	dir, home := e.get("XDG_CACHE_HOME"), e.home()
	switch runtime.GOOS {
	case "windows":
		dir = e.get("LocalAppData")
	case "darwin":
		dir = ""
		if home != "" {
			dir = filepath.Join(home, "Library", "Caches")
		}
	default:
		if dir == "" && home != "" {
			dir = filepath.Join(home, ".cache")
		}
	}
	switch {
	case dir == "":
		return "", errors.New("no place for a cache: no home directory is set")
	case !filepath.IsAbs(dir):
		return "", errors.New("no place for a cache: $XDG_CACHE_HOME is a relative path")
	}
	return filepath.Join(dir, "toolrun", "engine"), nil
}

// State is for what programs remember, such as what was typed.
func (e Env) State() (string, error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return e.Data()
	}
	if dir := e.get("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "toolrun"), nil
	}
	if home := e.home(); home != "" {
		return filepath.Join(home, ".local", "state", "toolrun"), nil
	}
	return "", errors.New("the home directory is not known: set TOOLRUN_HISTORY")
}

// Configs is the user's own directory, and the one in which programs keep their configurations.
func (e Env) Configs() (home, configs string, err error) {
	home = e.home()
	switch runtime.GOOS {
	case "windows":
		configs = e.get("AppData")
	case "darwin":
		configs = filepath.Join(home, "Library", "Application Support")
	default:
		if configs = e.get("XDG_CONFIG_HOME"); !filepath.IsAbs(configs) {
			configs = filepath.Join(home, ".config")
		}
	}
	if home == "" || configs == "" {
		return "", "", errors.New("the home directory is not known")
	}
	return home, configs, nil
}
