import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite(
    "I6: a full disk", .enabled(if: SmallDisk.isAvailable, "no file system can be mounted here"),
    .timeLimit(.minutes(30)))
struct DiskFullTests {
    @Test("I6: a full disk is an error that keeps nothing of the batch; reads go on, and so does recording with room")
    func diskFull() throws {
        try SmallDisk.with(kilobytes: 3072) { disk in
            let path = disk.path + "/store"
            let filler = disk.path + "/filler"
            let store = try MessageStore.open(path, account: "me", configuration: .ofTests)
            try store.record(received("first", at: 1))
            try Data(count: 1 << 20).write(to: URL(fileURLWithPath: filler))
            let words = String(repeating: "words ", count: 200)
            var recorded = 1
            var failure: (any Error)?
            while failure == nil, recorded < 4000 {
                do {
                    try store.record(
                        (0..<20).map { received(ServerMessageID("m\(recorded + $0)"), at: 2, text: words) })
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
            let reopened = try MessageStore.open(path, account: "me", configuration: .ofTests)
            #expect(try reopened.unread().messages == recorded + 1)
            #expect(try reopened.isConsistent())
            try reopened.close()
        }
    }

    /// What needs room for files that are not there yet.
    enum Call: Int, CaseIterable {
        case create, rebuild, compact, backup, openWithoutViews, readWithoutLockFile

        /// Makes what the call needs, and lends the call to `body`.
        func prepare(_ path: String, _ body: (() throws -> Void) throws -> Void) throws {
            guard self != .create else {
                return try body { _ = try MessageStore.open(path, account: "me", configuration: .ofTests) }
            }
            let store = try MessageStore.open(path, account: "me", configuration: .ofTests)
            try store.record([received("a", at: 1), received("b", at: 2)])
            switch self {
            case .rebuild: try body { try store.rebuild() }
            case .compact: try body { try store.compact() }
            case .backup: try body { try store.backup(to: path + "-copy") }
            default: break
            }
            try store.close()
            if self == .openWithoutViews {
                try FileManager.default.removeItem(atPath: path + "/views")
                try body { _ = try MessageStore.open(path, account: "me", configuration: .ofTests) }
            } else if self == .readWithoutLockFile {
                try FileManager.default.removeItem(atPath: path + "/log/lock.mdb")
                try body { _ = try MessageStore.openReadOnly(path, configuration: .ofTests) }
            }
        }
    }

    @Test("I10: what finds no room says diskFull, and after room was made all is there", arguments: Call.allCases)
    func noRoom(call: Call) async throws {
        // A process of its own, for a signal would be the failure.
        await #expect(processExitsWith: .success) { [number = call.rawValue as Int] in
            let call = try #require(Call(rawValue: number))
            try SmallDisk.with(kilobytes: 2048) { disk in
                let path = disk.path + "/store"
                try call.prepare(path) { body in
                    try disk.fill()
                    #expect(storeError(body)?.code == .diskFull)
                    #expect(!FileManager.default.fileExists(atPath: path + "-copy"))
                    try disk.makeRoom()
                }
                let store = try MessageStore.open(path, account: "me", configuration: .ofTests)
                #expect(try store.events().count == (call == .create ? 0 : 2))
                #expect(try store.isConsistent())
                try store.close()
            }
        }
    }

    @Test(
        "I2, I10: a killed store with events in its journal is opened on a full disk: for reading, and to write with room"
    )
    func killedWithJournal() async throws {
        await #expect(processExitsWith: .success) {
            try SmallDisk.with(kilobytes: 4096) { disk in
                let (path, original) = (disk.path + "/store", disk.path + "/original")
                let killed = try MessageStore.open(original, account: "me", configuration: .ofTests)
                for number in 1...30 {
                    let text = String(repeating: "words ", count: 200)
                    try killed.record(received(ServerMessageID("m\(number)"), at: Int64(number), text: text))
                }
                try FileManager.default.copyItem(atPath: original, toPath: path)
                try killed.close()
                try FileManager.default.removeItem(atPath: original)
                try disk.fill()
                let reader = try MessageStore.openReadOnly(path, configuration: .ofTests)
                #expect(try reader.unread().messages == 30)
                try reader.close()
                for attempt in 1...2 {
                    let store = try MessageStore.open(path, account: "me", configuration: .ofTests)
                    #expect(try store.unread().messages == 30 && store.lastDurablePosition() == Position(30))
                    #expect(storeError { try store.record(received("no", at: 99)) }?.code == .diskFull)
                    #expect(try store.lastPosition() == Position(30))
                    guard attempt == 2 else {
                        #expect(storeError { try store.close() }?.code == .diskFull)
                        continue
                    }
                    try disk.makeRoom()
                    try store.record(received("yes", at: 100))
                    #expect(try store.unread().messages == 31)
                    try store.close()
                }
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: path + "/log").count { $0.contains("journal") }
                        == 0)
                let reopened = try MessageStore.open(path, account: "me", configuration: .ofTests)
                #expect(try reopened.unread().messages == 31)
                #expect(try reopened.isConsistent())
                try reopened.close()
            }
        }
    }

    @Test("I10: a journal that there is no room for is logged once, and no word of a message")
    func logged() throws {
        try SmallDisk.with(kilobytes: 2048) { disk in
            let lines = LoggedLines()
            var configuration = MessageStore.Configuration.ofTests
            configuration.logger = lines.logger
            let store = try MessageStore.open(disk.path + "/store", account: "me", configuration: configuration)
            try disk.fill(leaving: 60)
            for number in 1...3 { try store.record(received(ServerMessageID("m\(number)"), at: 1, text: "hidden")) }
            #expect(lines.all.map(\.message) == ["the journal cannot be written, so that events are committed at once"])
            #expect(lines.all.first?.metadata["path"] == disk.path + "/store/log")
            #expect(lines.all.first?.metadata["error"]?.contains("journal-0") == true)
            #expect(!"\(lines.all)".contains("hidden"))
            try disk.makeRoom()
            try store.close()
        }
    }
}
