//! A tool for tests, which does what guest/tool/testdata/weather does in Go.

use std::io::Read;

fn weather() -> Result<String, String> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input).map_err(|e| e.to_string())?;
    if input.contains("\"nowhere\"") {
        eprintln!("looked everywhere");
        return Err("there is no such city".to_string());
    }
    let note = std::fs::read_to_string("/note.txt").map_err(|e| format!("note.txt: {e}"))?;
    std::fs::write("/written.txt", "by the tool").map_err(|e| format!("written.txt: {e}"))?;
    let unit = std::env::var("UNIT").unwrap_or_default();
    Ok(format!("{{\"notes\": [{note:?}, {unit:?}]}}"))
}

fn main() {
    match weather() {
        Ok(output) => println!("{output}"),
        Err(reason) => {
            print!("{reason}");
            std::process::exit(1);
        }
    }
}
