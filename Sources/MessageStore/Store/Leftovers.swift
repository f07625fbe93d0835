internal import MessageStoreLMDB

/// Files and directories that a process was killed over: stores and segments that were being made or copied into, and
/// replays of readers.
///
/// One is removed where it belongs to this user, holds nothing else, and neither it nor anything in it was
/// changed for an hour. A process that works longer without writing loses nothing: what it has open stays open.
package enum Leftovers {
    private static let age: Int64 = 3600
    private static let creationMark = ".creating-"
    private static let replayMark = "views.build-"
    private static let copyMark = ".copying-"

    /// A name for a store or a segment that is being made.
    static func newCreation() -> String {
        "messagestore" + creationMark + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Removes what interrupted creations left in the directory of a new store or segment.
    static func removeCreations(in directory: String) {
        remove(in: directory, holding: ["log", "identity.json"]) { name in
            name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { suffix(of: name[$0...], after: creationMark) }
        }
    }

    /// A name for a store that is copied into, and moved or removed in the end.
    package static func newCopy() -> String {
        "messagestore" + copyMark + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Removes what interrupted exports and imports left in a directory.
    package static func removeCopies(in directory: String) {
        let names: Set = ["log", "views", StoreIdentity.fileName, "writer.lock"]
        remove(in: directory, holding: names) { name in
            name.utf8.lastIndex(of: UInt8(ascii: ".")).flatMap { suffix(of: name[$0...], after: copyMark) }
        }
    }

    /// Removes what interrupted replays of readers left among the temporary files.
    static func removeReplays() {
        remove(in: FileSystem.temporaryDirectory, holding: ["data.mdb", "lock.mdb"]) {
            suffix(of: $0[...], after: replayMark)
        }
    }

    /// The number with which a name ends.
    private static func suffix(of name: Substring, after mark: String) -> UInt64? {
        name.hasPrefix(mark) ? UInt64(name.dropFirst(mark.count), radix: 16) : nil
    }

    /// Files that cannot be examined or removed are left for another time.
    private static func remove(in directory: String, holding files: Set<String>, _ number: (String) -> UInt64?) {
        let latest = SystemClock.sinceEpoch().seconds - age
        for name in (try? FileSystem.names(in: directory, where: { number($0) != nil })) ?? [] {
            let path = directory + "/" + name
            guard let status = try? FileSystem.status(of: path), status.kind != .other, status.isOwn,
                status.kind == .file || (try? FileSystem.names(in: path)).map(files.isSuperset) ?? false
            else { continue }
            if isOlder(path, than: latest) { try? FileSystem.remove(path) }
        }
    }

    /// Whether nothing at a path or below was changed since a time.
    private static func isOlder(_ path: String, than time: Int64) -> Bool {
        guard let status = try? FileSystem.status(of: path), status.modified < time else { return false }
        guard status.kind == .directory else { return true }
        return (try? FileSystem.names(in: path))?.allSatisfy { isOlder(path + "/" + $0, than: time) } ?? false
    }
}
