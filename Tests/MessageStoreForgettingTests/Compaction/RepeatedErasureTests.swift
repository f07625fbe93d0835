import Foundation
import MessageStoreLMDB
import MessageStoreTestKit
import Testing

@testable import MessageStore
@testable import MessageStoreTestSupport

@Suite("Erasures that are asked for again", .timeLimit(.minutes(30)))
struct RepeatedErasureTests {
    /// Whether all commits of the log fail after some more.
    private final class Faults: Sendable {
        private let left = Locked<Int?>(nil)
        func fail(after count: Int?) { left.withLock { $0 = count } }
        @Sendable func check() throws {
            let isFailing = left.withLock { left in
                defer { left = left.map { max(0, $0 - 1) } }
                return left == 0
            }
            if isFailing { throw FileError(operation: "write", path: "data.mdb", errno: ENOSPC) }
        }
    }

    private static func filled(_ place: TemporaryStore) throws {
        let store = try place.open()
        try store.record([
            received("m1", at: 1, text: SecretFiles.secret), received("m2", at: 2, text: "harmless"),
            Event(ProfilesFetched([Profile(id: "bob", name: SecretFiles.secret)])),
        ])
        // Makes the table of what is owed.
        try store.redact(Position(2))
        try store.close()
    }

    @Test(
        "I22: repeated on a full disk, erase says that the erasure is not finished, and records nothing",
        arguments: [true, false])
    func fullDisk(byEvent: Bool) throws {
        var unfinished = 0
        for count in 0..<20 {
            let place = try TemporaryStore()
            try Self.filled(place)
            let faults = Faults()
            let store = try place.open { $0.commitFault = faults.check }
            func erase() throws -> Position? {
                if byEvent { return try store.erase(.events([Position(1), Position(3)])) }
                return try store.erase(.users(["bob"], alsoMessages: true))
            }
            faults.fail(after: count)
            do { _ = try erase() } catch let error as StoreError where error.code == .erasureUnfinished {
                unfinished += 1
                faults.fail(after: 0)
                for _ in 0..<2 {
                    let again = #expect(throws: StoreError.self) { try erase() }
                    #expect(again?.code == .erasureUnfinished, "\(count)")
                }
                #expect(try store.lastPosition() == Position(4))
                faults.fail(after: nil)
                #expect(try erase() == nil)
                #expect(try store.lastPosition() == Position(4))
                #expect(try store.events(limit: 1).allSatisfy { !"\($0.event)".contains(SecretFiles.secret) })
            } catch {}
            faults.fail(after: nil)
            try store.close()
        }
        #expect(unfinished > 0)
    }

    @Test("I16, I22: what is recalled and to be erased at once is refused to readers until it is erased")
    func recalled() throws {
        var refused = 0
        for count in 0..<20 {
            let place = try TemporaryStore()
            try Self.filled(place)
            let faults = Faults()
            let store = try place.open {
                $0.commitFault = faults.check
                $0.privacy.removedContent = .erase
            }
            faults.fail(after: count)
            let result = try? store.record([.recalled(.server("m1"), in: group, origin: .live)])
            try? store.close()
            guard result != nil else { continue }
            // As after a kill: with another configuration, and no writer.
            do {
                let reader = try MessageStore.openReadOnly(place.path, configuration: .ofTests)
                #expect(try reader.events(limit: 1).allSatisfy(\.isRedacted), "\(count)")
                try reader.close()
            } catch let error as StoreError where error.code == .erasureUnfinished { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test("I22: an erasure is owed until the lens has not its words")
    func lens() throws {
        let place = try TemporaryStore()
        try Self.filled(place)
        let (path, manager) = (place.directory + "/shared", FileManager.default)
        try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
        let store = try place.open { $0.processes.lens = LensConfiguration(path: path + "/lens") }
        // A link to itself: nothing can be written or removed there.
        try manager.moveItem(atPath: path, toPath: path + "-before")
        try manager.createSymbolicLink(atPath: path, withDestinationPath: path)
        let result = try store.record([Event(HistoryCleared(erases: true), in: group)])
        guard case .unfinished = result.erasure else {
            Issue.record("\(result.erasure)")
            return
        }
        #expect(try store.owesErasures())
        try manager.removeItem(atPath: path)
        try manager.moveItem(atPath: path + "-before", toPath: path)
        try store.compact()
        #expect(try !store.owesErasures())
        try store.close()
    }
}
