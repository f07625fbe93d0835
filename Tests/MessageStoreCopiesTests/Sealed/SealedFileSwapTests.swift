import Foundation
import MessageStore
import Testing

@testable import MessageStoreTestSupport

@Suite(
    "Sealed files with bytes of others, moved bytes and changed bits", .enabled(if: TemporaryStore.canSeal),
    .serialized, .timeLimit(.minutes(30)))
struct SealedFileSwapTests {
    private static let key = KeySource { [UInt8](repeating: 21, count: 32) }

    /// Messages of one size each.
    private static let events = (0..<6).map { received("m\($0)", at: 1000 + Int64($0), text: "text \($0)") }
    private static var payloads: [AnyHashable] { events.map { AnyHashable($0.payload) } }

    private static func open(_ place: TemporaryStore, _ path: String? = nil) throws -> MessageStore {
        var configuration = place.configuration
        configuration.privacy.key = key
        configuration.durability.level = .full
        return try MessageStore.open(
            path ?? place.path, account: TemporaryStore.account, configuration: configuration)
    }

    private static func read(_ path: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    }

    private static func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}

extension SealedFileSwapTests {
    /// A store as a kill leaves it, all of whose events are in the journal.
    private final class Killed {
        let place: TemporaryStore
        let journal: SealedFrames

        init() throws {
            place = try TemporaryStore()
            let store = try SealedFileSwapTests.open(place)
            for event in SealedFileSwapTests.events { try store.record(event) }
            try FileManager.default.copyItem(atPath: place.path, toPath: place.directory + "/killed")
            try store.close()
            journal = SealedFrames(try SealedFileSwapTests.read(place.directory + "/killed/log/journal-0"))
        }

        /// Opens a copy with this journal: the payloads that it has, or the error.
        func open(_ journal: SealedFrames) throws -> Result<[AnyHashable], StoreError> {
            let path = place.directory + "/tried"
            try? FileManager.default.removeItem(atPath: path)
            try FileManager.default.copyItem(atPath: place.directory + "/killed", toPath: path)
            try SealedFileSwapTests.write(journal.bytes, path + "/log/journal-0")
            do {
                let store = try SealedFileSwapTests.open(place, path)
                defer { try? store.close() }
                return .success(try store.events(limit: .max).map { AnyHashable($0.event.payload) })
            } catch let error as StoreError { return .failure(error) }
        }

        /// Expects that nothing is there, since the first missing event was durable; after the last one nobody knows that.
        func expectMissing(_ index: Int, _ journal: SealedFrames, _ what: Comment) throws {
            let isLast = index == journal.frames.count - 1
            switch try open(journal) {
            case .success(let payloads):
                #expect(isLast && payloads == SealedFileSwapTests.payloads.dropLast(), what)
            case .failure(let error):
                let isNamed = error.code == .logDamaged && error.position == Position(UInt64(index + 1))
                #expect(isNamed && !isLast, what)
            }
        }

        /// Expects that the store is refused for a frame.
        func expectRefused(_ position: Int?, _ journal: SealedFrames, _ what: Comment) throws {
            switch try open(journal) {
            case .success: Issue.record(what)
            case .failure(let error):
                let wanted = position.map { Position(UInt64($0)) }
                let isNamed = error.code == .logDamaged && error.position == wanted
                #expect(isNamed, what)
            }
        }
    }

    @Test("frames of another store, of another place and with changed bits are refused, or are missing as cut off ones")
    func frames() throws {
        let (own, other) = (try Killed(), try Killed())
        let count = own.journal.frames.count
        #expect(count == Self.events.count)
        #expect(own.journal.frames.map(\.byteCount) == other.journal.frames.map(\.byteCount))
        let unchanged = try own.open(own.journal).get()
        #expect(unchanged == Self.payloads)
        try own.expectRefused(nil, other.journal, "all frames of the other store")
        var random = SplitMix64(seed: 31)
        for index in 0..<count {
            var foreign = own.journal
            foreign.put(other.journal.whole(index), at: index)
            // The first frame says whose file it is.
            if index == 0 {
                try own.expectRefused(nil, foreign, "the first frame of the other store")
            } else {
                try own.expectMissing(index, foreign, "frame \(index) of the other store")
            }
            foreign.setStore(own.journal.store(of: index), of: index)
            foreign.renewChecksum(of: index)
            try own.expectRefused(index + 1, foreign, "frame \(index) of the other store under this one's id")

            var moved = own.journal
            moved.put(own.journal.whole((index + 1) % count), at: index)
            if moved.frames[index].byteCount == moved.frames[(index + 1) % count].byteCount {
                try own.expectMissing(index, moved, "a frame in the place of frame \(index)")
            }
            let byteCount = own.journal.frames[index].byteCount
            for _ in 0..<TestSize.of(plain: 2, full: 40) {
                var changed = own.journal
                changed.flip(bit: random.nextIndex(8 * byteCount), of: index)
                try own.expectMissing(index, changed, "a bit of frame \(index)")
                var forged = own.journal
                forged.flip(bit: 8 * 64 + random.nextIndex(8 * (byteCount - 64)), of: index)
                forged.renewChecksum(of: index)
                try own.expectRefused(index + 1, forged, "a forged bit of frame \(index)")
            }
        }
    }
}

extension SealedFileSwapTests {
    @Test("a segment of another store continues no backup, and one with a changed bit or a missing end none at all")
    func segments() throws {
        var places: [TemporaryStore] = []
        for _ in 0..<2 {
            let place = try TemporaryStore()
            let store = try Self.open(place)
            try store.record(Array(Self.events[..<3]))
            try store.backup(to: place.directory + "/backup")
            try store.record(Array(Self.events[3...]))
            try store.writeSegment(after: Position(3), to: place.directory + "/segment")
            try store.close()
            places.append(place)
        }
        let new = places[0].directory + "/new"
        func restore(_ segment: String) throws -> Position {
            try MessageStore.restoreBackup(
                from: places[0].directory + "/backup", segments: [segment], to: new, key: Self.key)
        }
        func expectRefused(_ bytes: [UInt8], _ code: StoreError.Code, _ what: Comment) throws {
            let path = places[0].directory + "/tried"
            try Self.write(bytes, path)
            let error = #expect(throws: StoreError.self, what) { try restore(path) }
            #expect(error?.code == code, what)
            #expect(!FileManager.default.fileExists(atPath: new), what)
        }
        expectError(.lineageMismatch) { _ = try restore(places[1].directory + "/segment") }
        let segment = SealedFrames(try Self.read(places[0].directory + "/segment"))
        #expect(segment.frames.count == 1)
        let byteCount = segment.frames[0].byteCount
        var random = SplitMix64(seed: 32)
        for number in 0..<TestSize.of(plain: 30, full: 400) {
            var changed = segment
            let bit = random.nextIndex(8 * byteCount)
            changed.flip(bit: bit, of: 0)
            try expectRefused(changed.bytes, .segmentDamaged, "bit \(bit)")
            // The store's id and the number of the segment are associated with the seal.
            let place =
                number % 3 == 0 ? 8 * 16 + random.nextIndex(8 * 24) : 8 * 64 + random.nextIndex(8 * (byteCount - 64))
            var forged = segment
            forged.flip(bit: place, of: 0)
            forged.renewChecksum(of: 0)
            try expectRefused(forged.bytes, .keyRefused, "forged bit \(place)")
        }
        try expectRefused(segment.bytes.dropLast(64), .segmentDamaged, "cut off")
        let last = try restore(places[0].directory + "/segment")
        #expect(last == Position(6))
    }

    @Test(
        "the file of the keys is damaged after a change of a digit, or refused if its checksum is right, and loses nothing"
    )
    func keys() throws {
        let place = try TemporaryStore()
        let store = try Self.open(place)
        try store.record(Self.events)
        try store.close()
        let file = keysFile(of: place.path)
        let bytes = try Self.read(file)
        let text = String(decoding: bytes, as: UTF8.self)
        let start = try #require(text.range(of: "[\"")).upperBound.utf16Offset(in: text)
        let end = try #require(text.range(of: "\"]")).lowerBound.utf16Offset(in: text)
        var random = SplitMix64(seed: 33)
        for index in (start..<end).shuffled(using: &random).prefix(TestSize.of(plain: 20, full: end - start)) {
            var changed = bytes
            changed[index] = bytes[index] == 48 ? 49 : 48
            try Self.write(changed, file)
            expectError(.logDamaged) { _ = try Self.open(place) }
            try Self.write(WholeFile.keysWithChecksum(changed), file)
            expectError(.keyRefused) { _ = try Self.open(place) }
        }
        try Self.write(WholeFile.keysWithChecksum(bytes), file)
        let opened = try Self.open(place)
        let payloads = try opened.events(limit: .max).map { AnyHashable($0.event.payload) }
        #expect(payloads == Self.payloads)
        try opened.close()
    }
}
