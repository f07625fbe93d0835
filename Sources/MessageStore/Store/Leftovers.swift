internal import MessageStoreLMDB

/// Files and directories of work that a process was killed over; they are removed by the rule of `OwnFiles`.
package enum Leftovers {
    /// The work that a name declares.
    package enum Mark: String, Sendable {
        /// A store, or a segment, that is being made.
        case creating = ".creating-"
        /// A store that is copied into, and moved or removed in the end.
        case copying = ".copying-"
        /// A replay of a reader, among the temporary files.
        case replaying = ".build-"
        /// A copy of a store whose pieces are shipped.
        case shipping = ".shipping-"
        /// A base and segments that are fetched.
        case restoring = ".restoring-"
        /// Segments that are fetched for a copy that follows.
        case following = ".following-"

        /// A path in a directory that nothing else has.
        package func newPath(in directory: String) -> String {
            directory + "/messagestore" + rawValue + String(UInt64.random(in: .min ... .max), radix: 16)
        }

        /// The names that such a directory holds; nil for segments and directories of work, which ``OwnFiles`` knows.
        fileprivate var names: Set<String>? {
            switch self {
            case .creating: ["log", StoreIdentity.fileName]
            case .copying: ["log", "views", StoreIdentity.fileName, WorkDirectory.lockName]
            case .replaying: ["data.mdb", "lock.mdb"]
            case .shipping, .restoring, .following: nil
            }
        }
    }

    /// Removes the leftovers of all work next to a store; they may have words that were erased since.
    static func removeAll(nextTo store: String) {
        for mark in [Mark.creating, .copying, .shipping, .restoring, .following] {
            remove(mark, in: FileSystem.parent(of: store))
        }
    }

    /// Removes replays of readers.
    static func removeReplays() { remove(.replaying, in: FileSystem.temporaryDirectory) { $0.hasPrefix("views.") } }

    /// Removes the leftovers of a kind of work in a directory; ones that cannot be examined or removed are left for
    /// another time.
    package static func remove(_ mark: Mark, in directory: String, where isIncluded: (String) -> Bool = { _ in true }) {
        OwnFiles.removeLeft(
            in: directory, lock: mark.names == nil ? WorkDirectory.lockName : nil,
            named: { OwnFiles.number(of: $0, after: mark.rawValue) != nil && isIncluded($0) },
            where: { isOurs($0, $1, mark) })
    }

    /// Removes the leftovers of a kind of work in a directory, and names a place for the next.
    package static func newPath(_ mark: Mark, in directory: String) -> String {
        remove(mark, in: directory)
        return mark.newPath(in: directory)
    }

    /// Whether the library writes the content of a directory or file.
    private static func isOurs(_ path: String, _ status: FileSystem.Status, _ mark: Mark) -> Bool {
        switch status.kind {
        case .directory:
            guard OwnFiles.fill(path) else { return false }
            guard let names = mark.names else { return true }
            return (try? FileSystem.names(in: path)).map(names.isSuperset) ?? false
        case .file:
            // A segment, whose first bytes say so.
            guard mark == .creating, let bytes = try? FileSystem.read(path, limit: 4096) else { return false }
            return bytes.isEmpty || EventLog.positions(ofSegment: bytes) != nil
        case .other: return false
        }
    }
}

/// A directory for work next to something, which nobody else uses while this exists.
///
/// The next work of its kind in the same directory removes the leftovers of a kill.
package final class WorkDirectory: Sendable {
    static let lockName = "writer.lock"

    /// The directory, which holds the lock alone at first.
    package let path: String
    private let lock: FileLock?

    /// Creates one, and removes the leftovers of others.
    package init(_ mark: Leftovers.Mark, nextTo path: String) throws {
        self.path = Leftovers.newPath(mark, in: FileSystem.parent(of: path))
        lock = try StoreError.translating { [path = self.path] in
            try FileSystem.createDirectory(path)
            return try FileLock.take(path + "/" + Self.lockName)
        }
    }

    /// Removes the directory with everything in it.
    package func remove() { withExtendedLifetime(lock) { try? FileSystem.remove(path) } }
}
