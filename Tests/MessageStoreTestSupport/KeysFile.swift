import Foundation

/// The file of the keys of a sealed store: in its directory, or in that of its log.
func keysFile(of store: String) -> String {
    let file = store + "/keys.json"
    return FileManager.default.fileExists(atPath: file) ? file : store + "/log/keys.json"
}
