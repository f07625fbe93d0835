/// The files and directories that the library writes, by their names, and the rule by which leftovers are removed (I20).
///
/// A process that is killed leaves what it was making or removing. The remnant goes only if all of this is true:
///
/// 1. Its name has the library's mark and a number in hexadecimal, or it lies in a directory that is the library's alone.
/// 2. It holds what the library writes there: files and directories with names of this list, or the one file of its kind.
/// 3. Nobody works in it: no process has the environment open or, of others, it belongs to this user and its lock is free or,
///    where it has none, nothing in it was changed for a time.
///
/// The next work of its kind in the same directory removes it, or an opening of the store for writing: an environment
/// by `Environment.removeUnused`, a file or directory with a lock or a time by
/// ``removeLeft(in:unchangedFor:alsoAhead:lock:named:where:)``. Files in a directory of the library alone, whose owner's lock the
/// caller has, are removed by ``remove(_:)``.
package enum OwnFiles {
    /// Files of environments, of a log's journal, and of a store.
    private static let files: Set<String> = [
        "data.mdb", "lock.mdb", "data.mark", SpilledBytes.name, "journal-0", "journal-1", "identity.json",
        "identity.json.new", "keys.json", "keys.json.new", "writer.lock",
    ]
    private static let directories: Set<String> = ["log", "views", "lagging", "base", "store"]
    /// Precede the number of a directory that is being made, or whose place another one took.
    private static let marks = Environment.Mark.allCases.map(\.rawValue) + [".creating-"]

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

    /// Removes what killed processes left in a directory; files that cannot be examined or removed are left for another
    /// time.
    ///
    /// - Parameters:
    ///   - seconds: For how long nothing may have been changed in what has no lock.
    ///   - alsoAhead: Whether a time as far in the future is taken for one of a wrong clock.
    ///   - lock: The name of the lock in such a directory; nil if it has none.
    ///   - isIncluded: Whether a name has the mark.
    ///   - isOurs: Whether the library writes what is at a path.
    package static func removeLeft(
        in directory: String, unchangedFor seconds: Int64 = 3600, alsoAhead: Bool = false, lock: String? = nil,
        named isIncluded: (String) -> Bool, where isOurs: (_ path: String, FileSystem.Status) -> Bool
    ) {
        for name in (try? FileSystem.names(in: directory, where: isIncluded)) ?? [] {
            let path = directory + "/" + name
            guard let status = try? FileSystem.status(of: path), status.isOwn, isOurs(path, status) else { continue }
            if let lock, (try? FileSystem.status(of: path + "/" + lock)) != nil {
                guard let lock = try? FileLock.take(path + "/" + lock) else { continue }
                withExtendedLifetime(lock) { _ = try? FileSystem.remove(path) }
            } else if isUnchanged(path, for: seconds, alsoAhead) {
                try? FileSystem.remove(path)
            }
        }
    }

    /// Whether nothing at a path or below was changed in the last seconds.
    private static func isUnchanged(_ path: String, for seconds: Int64, _ alsoAhead: Bool) -> Bool {
        let now = SystemClock.sinceEpoch().seconds
        guard let status = try? FileSystem.status(of: path),
            status.modified < now - seconds || alsoAhead && status.modified > now + seconds
        else { return false }
        guard status.kind == .directory else { return true }
        return (try? FileSystem.names(in: path))?.allSatisfy { isUnchanged(path + "/" + $0, for: seconds, alsoAhead) }
            ?? false
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
