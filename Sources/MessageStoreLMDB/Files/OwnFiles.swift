/// The files and directories that the library writes, by their names (I20).
///
/// Directories that are found by a name, and not made by the caller, are removed only if everything in them has such a name.
package enum OwnFiles {
    /// Files of environments, of a log's journal, and of a store.
    private static let files: Set<String> = [
        "data.mdb", "lock.mdb", "data.mark", SpilledBytes.name, "journal-0", "journal-1", "identity.json",
        "identity.json.new", "writer.lock",
    ]
    private static let directories: Set<String> = ["log", "views", "lagging", "base", "store"]
    /// Precede the number of a directory that is being made, or whose place another one took.
    private static let marks = [".build-", ".retired-", ".compacting-", ".creating-"]

    /// The directories of rows that follow the log have the names that hosts gave to them.
    private static let named = "lagging"

    /// Whether a directory holds nothing but files and directories with names of the library; links are none.
    package static func fill(_ directory: String) -> Bool {
        guard let names = try? FileSystem.names(in: directory) else { return false }
        return names.allSatisfy { name in
            switch (try? FileSystem.status(of: directory + "/" + name))?.kind {
            case .file: files.contains(name) || isNumber(name)
            case .directory: isDirectory(name, in: directory) && fill(directory + "/" + name)
            default: false
            }
        }
    }

    /// Removes a directory that such names fill; another one stays.
    ///
    /// - Returns: Whether it was removed.
    @discardableResult
    package static func remove(_ directory: String) throws(FileError) -> Bool {
        guard fill(directory) else { return false }
        try FileSystem.remove(directory)
        return true
    }

    /// Whether a name is the number of a segment.
    private static func isNumber(_ name: String) -> Bool {
        name.utf8.count == 20 && name.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    private static func isDirectory(_ name: String, in directory: String) -> Bool {
        if directories.contains(name) || directory.hasSuffix("/" + named) { return true }
        return marks.contains { mark in number(of: name, after: mark) != nil }
    }

    /// The number in hexadecimal with which a name ends, after a mark that begins with its last full stop.
    package static func number(of name: String, after mark: String) -> UInt64? {
        guard let stop = name.utf8.lastIndex(of: UInt8(ascii: ".")), name[stop...].hasPrefix(mark) else { return nil }
        return UInt64(name[stop...].dropFirst(mark.count), radix: 16)
    }
}
