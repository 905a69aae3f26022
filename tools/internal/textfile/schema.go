package textfile

// ViewProperties are those of the schemas of tools for which views are chosen; a comma follows each.
const ViewProperties = `"paths": {
			"type": "array",
			"items": {"type": "string"},
			"description": "For view-all: the files and directories to show."
		},
		"view_range": {
			"type": "array",
			"items": {"type": "integer"},
			"description": "For view of a file: the first and the last line to show, such as [11, 20]. ` +
	`Lines count from 1; a last line of -1 means the end of the file. Without it the whole file is shown."
		},`

// ChangeProperties are those of the schemas of tools by which files are changed, the last ones.
const ChangeProperties = `"overwrite": {
			"type": "boolean",
			"description": "For create, rename and copy: true replaces a file that is there. Default false."
		},
		"old_str": {
			"type": "string",
			"description": "For str_replace: the text to replace, exactly as it is in the file, ` +
	`without line numbers. It must occur exactly once."
		},
		"new_str": {
			"type": "string",
			"description": "For str_replace: the text to put there. Without it old_str is deleted."
		},
		"insert_line": {
			"type": "integer",
			"description": "For insert: the number of the line after which to insert. 0 is the beginning of the file."
		},
		"insert_text": {
			"type": "string",
			"description": "For insert: the text to insert, as lines of its own."
		},
		"old_path": {
			"type": "string",
			"description": "For rename and copy: the file or directory to rename, move or copy."
		},
		"new_path": {
			"type": "string",
			"description": "For rename and copy: the path that it gets. Directories that this lies in are made."
		}`
