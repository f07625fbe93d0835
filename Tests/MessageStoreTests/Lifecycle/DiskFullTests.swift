import Foundation
import MessageStore
import Testing

/// A small file system of its own, where the machine lets a test mount one.
final class SmallDisk {
    let path = FileManager.default.temporaryDirectory.path + "/messagestore-disk-" + UUID().uuidString

    init?(megabytes: Int) {
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        guard Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", path]) else {
            try? FileManager.default.removeItem(atPath: path)
            return nil
        }
    }

    deinit {
        _ = Self.run("/bin/umount", ["-l", path])
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func run(_ executable: String, _ arguments: [String]) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        do { try process.run() } catch { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    static let isPossible = SmallDisk(megabytes: 1) != nil
}

@Suite(
    "I6: a full disk", .enabled(if: SmallDisk.isPossible, "no file system can be mounted here"),
    .timeLimit(.minutes(5)))
struct DiskFullTests {
    @Test("I6: a full disk is an error that keeps nothing of the batch; reads go on, and so does recording with room")
    func diskFull() throws {
        let disk = try #require(SmallDisk(megabytes: 3))
        let path = disk.path + "/store"
        let filler = disk.path + "/filler"
        let store = try MessageStore.open(path, account: "me")
        try store.record(received("first", at: 1))
        try Data(count: 1 << 20).write(to: URL(fileURLWithPath: filler))
        let words = String(repeating: "words ", count: 200)
        var recorded = 1
        var failure: (any Error)?
        while failure == nil, recorded < 4000 {
            do {
                try store.record((0..<20).map { received(ServerMessageID("m\(recorded + $0)"), at: 2, text: words) })
                recorded += 20
            } catch {
                failure = error
            }
        }
        #expect((failure as? StoreError)?.code == .diskFull, "\(String(describing: failure))")
        #expect(try store.lastPosition() == Position(UInt64(recorded)))
        #expect(try store.unread().messages == recorded)
        try FileManager.default.removeItem(atPath: filler)
        try store.record(received("again", at: 3))
        #expect(try store.unread().messages == recorded + 1)
        try store.close()
        let reopened = try MessageStore.open(path, account: "me")
        #expect(try reopened.unread().messages == recorded + 1)
        #expect(try reopened.isConsistent())
        try reopened.close()
    }
}
