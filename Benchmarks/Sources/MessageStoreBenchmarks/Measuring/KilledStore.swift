internal import Foundation
internal import MessageStore

/// A store whose process was killed with a full buffer, so that the next opening has a tail of the log to fold.
struct KilledStore {
    private let path: String
    /// What the kill left.
    private let copy: String
    /// Events in the log.
    let events: Int
    /// Events that the views on disk do not cover.
    let tail: Int
    /// Bytes of the rows that were buffered.
    let bufferedBytes: Int

    /// Starts this program again as a child that syncs, waits for its word that the buffer is full, and kills it.
    static func make(at path: String, events: Int) throws -> KilledStore {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: try executable())
        child.arguments = ["fill-and-wait", path, "--events", "\(events)"]
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        var line = Data()
        while !line.contains(0x0A) {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { break }
            line.append(bytes)
        }
        kill(child.processIdentifier, SIGKILL)
        child.waitUntilExit()
        let numbers = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard numbers.count == 3 else { throw Failure("the child that fills a store failed") }
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        return KilledStore(
            path: path, copy: path + ".copy", events: numbers[0], tail: numbers[0] - numbers[1],
            bufferedBytes: numbers[2])
    }

    /// This program.
    static func executable() throws -> String {
        guard let path = Bundle.main.executablePath else { throw Failure("this program has no path") }
        return path
    }

    /// Opens the store as the kill left it, and tells how long that took and until the list was read.
    ///
    /// What was there is put back into the very files that the process had open: of others, all pages would be looked at.
    func open(account: UserID) throws -> (open: Double, list: Double) {
        let files = FileManager.default
        for name in try files.subpathsOfDirectory(atPath: path) where !files.fileExists(atPath: copy + "/" + name) {
            try files.removeItem(atPath: path + "/" + name)
        }
        for name in try files.subpathsOfDirectory(atPath: copy) {
            var isDirectory: ObjCBool = false
            guard files.fileExists(atPath: copy + "/" + name, isDirectory: &isDirectory), !isDirectory.boolValue else {
                continue
            }
            try Self.overwrite(path + "/" + name, with: copy + "/" + name)
        }
        return try Self.open(path, account: account, expecting: events)
    }

    private static func overwrite(_ path: String, with source: String) throws {
        guard FileManager.default.fileExists(atPath: path) else {
            return try FileManager.default.copyItem(atPath: source, toPath: path)
        }
        guard let input = FileHandle(forReadingAtPath: source), let output = FileHandle(forWritingAtPath: path) else {
            throw Failure("a file of the killed store cannot be opened")
        }
        try output.truncate(atOffset: 0)
        while let part = try input.read(upToCount: 1 << 20), !part.isEmpty { try output.write(contentsOf: part) }
        try output.close()
        try input.close()
    }

    /// Opens a store that nobody has open, and tells how long that took and until the list was read.
    static func open(
        _ path: String, account: UserID, expecting events: Int,
        _ pageCheck: MessageStore.Configuration.PageCheck = .afterUncleanClose, key: KeySource? = nil
    ) throws -> (open: Double, list: Double) {
        var configuration = MessageStore.Configuration()
        configuration.durability.pageCheck = pageCheck
        configuration.privacy.key = key
        let start = ContinuousClock.now
        let store = try MessageStore.open(path, account: account, configuration: configuration)
        let opened = start.duration(to: .now) / .milliseconds(1)
        let page = try store.read { try $0.conversations(limit: 50) }
        let listed = start.duration(to: .now) / .milliseconds(1)
        guard !page.elements.isEmpty, try store.lastPosition().rawValue == UInt64(events) else {
            throw Failure("the opened store does not hold the log that was recorded")
        }
        try store.close()
        return (opened, listed)
    }
}
