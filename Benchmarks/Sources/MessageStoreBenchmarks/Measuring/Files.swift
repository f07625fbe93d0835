internal import Foundation

/// Directories of stores: their place, their size on disk, their end.
enum Files {
    /// Bytes that the files below a directory take on disk (`st_blocks`).
    static func diskBytes(_ path: String) -> Int {
        var total = 0
        guard let names = FileManager.default.enumerator(atPath: path) else { return 0 }
        for case let name as String in names {
            var status = stat()
            if lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG {
                total += Int(status.st_blocks) * 512
            }
        }
        return total
    }

    /// Runs `body` with a new directory that is removed afterwards.
    static func withDirectory<Result>(in parent: String, _ body: (String) throws -> Result) throws -> Result {
        let path = "\(parent)/messagestore-benchmark-\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }
}
