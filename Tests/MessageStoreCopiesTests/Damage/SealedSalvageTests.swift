import Foundation
import MessageStore
import MessageStoreLog
import Testing
@testable import MessageStoreTestSupport

@Suite(
    "Salvage of sealed stores", .enabled(if: TemporaryStore.canSeal), .serialized, .timeLimit(.minutes(30)))
struct SealedSalvageTests {
    private static let (key, secret) = (SealedOriginal.key, SealedOriginal.secret)
    private static let original = Result { try SealedOriginal.make(TestSize.of(plain: 1_200, full: 3_000)) }

    private let original: SealedOriginal

    init() throws { original = try Self.original.get() }

    private static func files(below path: String) -> [String: Data] {
        var files: [String: Data] = [:]
        for name in FileManager.default.enumerator(atPath: path)?.compactMap({ $0 as? String }) ?? [] {
            if let data = FileManager.default.contents(atPath: path + "/" + name) { files[name] = data }
        }
        return files
    }

    private static func salvage(_ place: TemporaryStore, key: KeySource? = key) throws -> SalvageReport {
        try MessageStore.salvage(place.path, to: place.directory + "/new", key: key)
    }

    /// Salvages a store and holds each event of the new one against the originals.
    ///
    /// - Parameter kept: The positions of the events that can be read.
    @discardableResult
    private func expect(
        _ kept: some Sequence<UInt64>, of events: [RecordedEvent]? = nil, in place: TemporaryStore,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> SalvageReport {
        let (kept, originals, new) = (Set(kept), events ?? original.events, place.directory + "/new")
        let report = try Self.salvage(place)
        let end = kept.max() ?? 0
        let lost = Set(1...end).subtracting(kept)
        #expect(
            Set(report.lost.flatMap { $0.lowerBound.rawValue...$0.upperBound.rawValue }) == lost,
            sourceLocation: sourceLocation)
        #expect(report.kept == kept.count && report.lostCount == lost.count, sourceLocation: sourceLocation)
        #expect(
            report.account == TemporaryStore.account && report.replacedNames.isEmpty, sourceLocation: sourceLocation)
        expectError(.keyUnavailable) { _ = try SealedOriginal.open(new, place, key: nil) }
        let store = try SealedOriginal.open(new, place)
        let found = try store.events(limit: .max)
        #expect(found.count == Int(end), sourceLocation: sourceLocation)
        for (event, original) in zip(found, originals) {
            let isRight = lost.contains(event.position.rawValue) ? event.event.type == .recordLost : event == original
            #expect(isRight, "position \(event.position)", sourceLocation: sourceLocation)
        }
        try store.record([received("a new one", at: 1)])
        try store.close()
        var configuration = place.configuration
        configuration.privacy.key = Self.key
        let check = try MessageStore.check(new, configuration: configuration)
        #expect(check.isSound && check.comparedPosition != nil, "\(check.findings)", sourceLocation: sourceLocation)
        let clear = Self.files(below: new).filter { $0.value.range(of: Data(Self.secret.utf8)) != nil }
        #expect(clear.isEmpty, "\(clear.keys)", sourceLocation: sourceLocation)
        #expect(Self.files(below: new)["log/data.mdb"] != nil, sourceLocation: sourceLocation)
        return report
    }

    @Test("an intact store is kept as it is, with names, descriptions and subscribers, and the old one is left alone")
    func intact() throws {
        let place = try original.copy()
        let before = Self.files(below: place.path)
        let report = try expect(1...original.last, in: place)
        #expect(report.repaired == 0 && report.forged.isEmpty)
        #expect(
            Self.files(below: place.path).filter { $0.key != "writer.lock" }
                == before.filter { $0.key != "writer.lock" })
        let (old, new) = (
            try SealedOriginal.open(place.path, place), try SealedOriginal.open(place.directory + "/new", place)
        )
        #expect(try new.eventDescriptions() == old.eventDescriptions())
        #expect(try !new.eventDescriptions().isEmpty)
        let positions = try old.subscriptionPositions()
        #expect(positions.map(\.name) == ["subscriber-SECRET"])
        #expect(try new.subscriptionPositions().map(\.position) == positions.map(\.position))
        try old.close()
        try new.close()
    }

    @Test("of overwritten pages exactly the events are lost that no other page holds", arguments: Seeds.first(8))
    func damagedPages(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let place = try original.copy()
        var kept: [UInt64] = []
        try place.changeLog { file in
            let needed = Set(file.pages(of: "openings").leaves + file.pages(of: "symbolNames").leaves)
            var pages = (0..<file.pageCount).filter { !needed.contains($0) }
            for index in 0..<file.pageCount / 12 { pages.swapAt(index, index + random.nextIndex(pages.count - index)) }
            let damaged = Set(pages.prefix(file.pageCount / 12))
            kept = file.records(without: damaged).keys.map { $0 }
            for page in damaged {
                file.zero(page: page)
                guard page % 2 == 0 else { continue }
                let start = page * DataFile.pageSize
                for offset in start..<start + DataFile.pageSize {
                    file.bytes[offset] = UInt8(truncatingIfNeeded: random.next())
                }
            }
        }
        #expect(kept.count < original.events.count && kept.count > original.events.count / 2)
        let report = try expect(kept, in: place)
        #expect(report.forged.isEmpty)
    }

    @Test("without meta pages and branches nothing is lost: openings and their keys are found by their pages")
    func withoutTrees() throws {
        let place = try original.copy()
        try place.changeLog { file in
            for page in [0, 1] + file.pages(of: "records").branches { file.zero(page: page) }
        }
        #expect(try expect(1...original.last, in: place).repaired == original.events.count)
    }

    @Test(
        "one flipped bit loses the record; with a new checksum it is named as forged as well", arguments: [false, true])
    func bits(isForged: Bool) throws {
        var random = SplitMix64(seed: 5)
        let large = try #require(original.stored.first { $0.value.count > 5_000 }).key
        for position in [large, original.last]
            + (0..<TestSize.of(plain: 3, full: 8)).map({ _ in 1 + UInt64(random.nextIndex(Int(original.last) - 2)) })
        {
            let place = try original.copy()
            let bytes = try #require(original.stored[position])
            var changed = bytes
            // The envelope, what is sealed, and the tag; a record of an unknown opening may as well be lost with it.
            let sealed = 64 + random.nextIndex(bytes.count - 64 - SealedOriginal.trailer)
            let offset = [sealed, 24, bytes.count - 1 - random.nextIndex(16)][Int(position) % 3]
            changed[offset] ^= 1 << UInt8(random.nextIndex(8))
            if isForged { SealedOriginal.renewChecksum(of: &changed) }
            try place.changeLog { $0.replace(bytes, by: changed) }
            let report = try expect((1...original.last).filter { $0 != position }, in: place)
            #expect(report.forged == (isForged ? [Position(position)] : []), "\(position) \(offset)")
        }
    }

    @Test("a record that was put in another one's place is named as forged")
    func moved() throws {
        let place = try original.copy()
        var changed = try #require(original.stored[20])
        changed.replaceSubrange(8..<16, with: withUnsafeBytes(of: UInt64(40).littleEndian) { [UInt8]($0) })
        SealedOriginal.renewChecksum(of: &changed)
        let (first, second) = (try #require(original.stored[20]), try #require(original.stored[40]))
        // Into the place of the first, whose key then says something else.
        try place.changeLog { file in
            file.replace(second, by: [UInt8](repeating: 0, count: second.count))
            file.replace(first, by: changed)
        }
        let report = try expect((1...original.last).filter { $0 != 20 && $0 != 40 }, in: place)
        #expect(report.forged == [Position(40)])
    }

    @Test("a record under a key with a flipped bit is kept at the position that it names")
    func key() throws {
        let place = try original.copy()
        try place.changeLog { file in
            let leaf = try #require(file.pages(of: "records").leaves.dropFirst().first)
            let node = try #require(file.nodes(of: leaf).first)
            file.flip(bit: 4, at: node + 8 + 5)
        }
        try expect(1...original.last, in: place)
    }

    @Test(
        "the values of an opening are lost with its row, or with one bit of it, and with nothing else",
        arguments: [1, 16])
    func openings(damagedBytes: Int) throws {
        let place = try original.copy()
        let number = SealedOriginal.opening(of: try #require(original.stored[original.last / 2]))
        let lost = original.stored.filter { SealedOriginal.opening(of: $0.value) == number }.keys
        #expect(!lost.isEmpty && lost.count < original.events.count && !lost.contains(original.last))
        try place.changeLog { file in
            let row = try file.row(ofOpening: number)
            let salt = file.value(of: row)
            file.replace(salt, by: salt.enumerated().map { $0 < damagedBytes ? $1 ^ 4 : $1 })
        }
        let report = try expect((1...original.last).filter { !lost.contains($0) }, in: place)
        #expect(report.forged.isEmpty)
    }

    @Test("clear records, names and subscribers are not believed, although their checksums fit")
    func clearRows() throws {
        let clear = try TemporaryStore()
        let store = try SealedOriginal.open(clear.path, clear, key: nil)
        try store.record([received("forged", at: 1, text: "forged")])
        try store.close()
        var record = try #require(DataFile(clear.path + "/log/data.mdb").records()[1])
        func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number) { [UInt8]($0) } }
        record.replaceSubrange(8..<16, with: bytes((original.last + 1).littleEndian))
        SealedOriginal.renewChecksum(of: &record)
        let name = Array("eve".utf8)
        let rows = [
            (key: bytes((original.last + 1).bigEndian), value: record),
            ([2, 0, 0, 0, 99], bytes(XXH64.hash(name.span.bytes, seed: 2 << 32 | 99).littleEndian) + name),
            ([2] + name, [99, 0, 0, 0]), (Array("subscriber-eve".utf8), bytes(UInt64(7).bigEndian)),
        ]
        let place = try original.copy()
        try place.changeLog { $0.append(leafWith: rows) }
        try expect(1...original.last, in: place)
        // In a clear log they count.
        try clear.changeLog { $0.append(leafWith: rows) }
        let report = try Self.salvage(clear, key: nil)
        #expect(report.lost == [Position(2)...Position(original.last)])
        #expect(report.replacedNames.contains { $0.kind == "user" })
        for (place, key, name) in [(place, Self.key, "subscriber-SECRET"), (clear, nil, "subscriber-eve")] {
            let new = try SealedOriginal.open(place.directory + "/new", place, key: key)
            #expect(try new.subscriptionPositions().map(\.name) == [name])
            try new.close()
        }
    }

    @Test(
        "one right copy of a row's page is enough among wrong ones, before and after it", arguments: [0, 2])
    func olderRows(number: Int) throws {
        let place = try original.copy()
        try place.changeLog { file in
            let row = try file.row(ofOpening: number)
            let place =
                row / DataFile.pageSize * DataFile.pageSize + 8..<(row / DataFile.pageSize + 1) * DataFile.pageSize
            let (value, right) = (file.value(of: row), file.bytes[place])
            file.replace(value, by: value.map { $0 ^ 8 })
            for page in [right, file.bytes[place]] {
                file.bytes += withUnsafeBytes(of: UInt64(file.pageCount).littleEndian) { [UInt8]($0) } + page
            }
        }
        #expect(try expect(1...original.last, in: place).forged.isEmpty)
    }

    @Test("without the row of the environment nothing can be read, and nothing is written")
    func environmentRow() throws {
        let place = try original.copy()
        try place.changeLog { file in
            let salt = file.value(of: try file.row(ofOpening: 0))
            file.replace(salt, by: salt.map { ~$0 })
        }
        expectError(.logDamaged) { _ = try Self.salvage(place) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory) == ["store"])
    }

    @Test("a wrong or missing key is no damage, and lost keys are: nothing is written")
    func refusals() throws {
        struct NotUnlocked: Error {}
        let place = try original.copy()
        try place.changeLog { $0.zero(page: 0) }
        let before = Self.files(below: place.directory)
        let other = KeySource { [UInt8](repeating: 4, count: 32) }
        let keys: [(KeySource?, StoreError.Code)] = [
            (nil, .keyUnavailable), (other, .keyRefused), (KeySource { [1] }, .keyRefused),
            (KeySource { throw NotUnlocked() }, .keyUnavailable),
        ]
        for (key, code) in keys { expectError(code) { _ = try Self.salvage(place, key: key) } }
        #expect(Self.files(below: place.directory) == before)
        let name = try #require(before.keys.first { $0.hasSuffix("keys.json") })
        let (file, json) = (URL(fileURLWithPath: place.directory + "/" + name), try #require(before[name]))
        for index in stride(from: 0, to: json.count, by: 7) {
            var damaged = json
            damaged[index] ^= 1
            try damaged.write(to: file)
            let error = #expect(throws: StoreError.self) { try Self.salvage(place) }
            #expect(error?.code == .logDamaged && error?.message.contains("keys are gone") == true)
        }
        try FileManager.default.removeItem(at: file)
        expectError(.logDamaged) { _ = try Self.salvage(place) }
        try json.write(to: file)
        // The keys open by the store's id.
        for isMissing in [false, true] {
            let identity = place.path + "/identity.json"
            if isMissing {
                try FileManager.default.removeItem(atPath: identity)
            } else {
                try Data().write(to: URL(fileURLWithPath: identity))
            }
            expectError(.keyUnavailable) { _ = try Self.salvage(place, key: nil) }
            expectError(.logDamaged) { _ = try Self.salvage(place) }
        }
        // Without both files the log itself says that it is sealed.
        try FileManager.default.removeItem(at: file)
        expectError(.keyUnavailable) { _ = try Self.salvage(place, key: nil) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory) == ["store"])
        let clear = try TemporaryStore()
        try SealedOriginal.open(clear.path, clear, key: nil).close()
        expectError(.keyRefused) { _ = try Self.salvage(clear) }
        expectError(.accountMismatch) {
            let place = try original.copy()
            _ = try MessageStore.salvage(place.path, to: place.directory + "/new", account: "eve", key: Self.key)
        }
    }

    @Test("frames of the journal are read, also without the identity file, and a damaged one loses its events alone")
    func journal() throws {
        let place = try original.copy()
        let store = try SealedOriginal.open(place.path, place)
        var random = SplitMix64(seed: 3)
        let first = original.last + 1
        for batch in 0..<5 {
            try store.record((0..<4).map { SealedOriginal.event(100_000 + 4 * batch + $0, &random) })
        }
        let events = try store.events(limit: .max)
        let running = try original.copy(place.path)
        try store.close()
        let journal = running.path + "/log/journal-0"
        let frames = try Data(contentsOf: URL(fileURLWithPath: journal))
        var (starts, offset) = ([Int](), frames.startIndex)
        while let range = frames.range(of: Data("\nMSJRNS1".utf8), in: offset..<frames.endIndex) {
            starts.append(range.lowerBound)
            offset = range.upperBound
        }
        #expect(starts.count == 5)
        let nameless = try original.copy(running.path)
        try FileManager.default.removeItem(atPath: nameless.path + "/identity.json")
        try expect(1...UInt64(events.count), of: events, in: nameless)
        let damaged = try original.copy(running.path)
        var bytes = frames
        bytes[starts[2] + 100] ^= 1
        try bytes.write(to: URL(fileURLWithPath: damaged.path + "/log/journal-0"))
        let kept = (1...UInt64(events.count)).filter { !(first + 8..<first + 12).contains($0) }
        try expect(kept, of: events, in: damaged)
        #expect(try expect(1...UInt64(events.count), of: events, in: running).forged.isEmpty)
    }

    @Test("gaps and the identities of records that were cut off are kept")
    func cut() throws {
        let place = try TemporaryStore()
        let messages = (1...60).map { received("m\($0)", at: Int64($0), text: "\(Self.secret) \($0)") }
        let store = try SealedOriginal.open(place.path, place)
        try store.record(messages)
        try store.record([Event(HistoryCleared(upTo: order(35, "m35"), erases: true), in: group)])
        try store.compact()
        let (events, base) = (try store.events(limit: .max), try store.statistics().replayStart)
        try store.close()
        try place.changeLog { file in for page in 0...1 { file.zero(page: page) } }
        let report = try Self.salvage(place)
        #expect(report.lost.isEmpty && report.kept == events.count && events.count < 61)
        let new = try SealedOriginal.open(place.directory + "/new", place)
        #expect(try new.events(limit: .max) == events && new.statistics().replayStart == base)
        #expect(try new.record(messages).duplicates == messages.count)
        try new.close()
    }
}
