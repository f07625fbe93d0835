import Foundation
import MessageStoreLMDB
import MessageStoreWorkload
import Testing

@Suite struct `Entries of pages that no tree leads to` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    private struct Entry: Hashable {
        let key: [UInt8]
        let value: [UInt8]
        let standing: PageSalvage.Standing
    }

    private func entries(_ path: String) throws -> [Entry] {
        let file = try PageSalvage(path: path + "/data.mdb")
        var entries: [Entry] = []
        try file.forEachEntry(progress: { _, _ in }) { key, value, place, standing throws in
            let bytes = value.withUnsafeBytes { [UInt8]($0) }
            #expect(try file.read(place) == bytes)
            entries.append(Entry(key: key.withUnsafeBytes { [UInt8]($0) }, value: bytes, standing: standing))
        }
        return entries
    }

    /// Small values and, every tenth, one on pages of its own.
    private func value(_ number: UInt8, _ version: UInt8) -> [UInt8] {
        [UInt8](repeating: number ^ version, count: number % 10 == 0 ? 9000 : 100)
    }

    private func fill(_ path: String) throws {
        let fixture = try Fixture.create(path)
        for version in 0..<3 as Range<UInt8> {
            try fixture.environment.write { transaction in
                for number in 0..<200 as Range<UInt8> {
                    try transaction.put(
                        value(number, version).span.bytes, for: [7, number].span.bytes, in: fixture.table)
                }
            }
        }
    }

    private func change(_ path: String, _ change: (inout [UInt8]) -> Void) throws {
        let url = URL(fileURLWithPath: path + "/data.mdb")
        var bytes = [UInt8](try Data(contentsOf: url))
        change(&bytes)
        try Data(bytes).write(to: url)
    }

    @Test("what the tree holds is live, and there once; older versions are not", arguments: [false, true])
    func standings(hasMetas: Bool) throws {
        try fill(path)
        if !hasMetas { try change(path) { $0.replaceSubrange(0..<8192, with: [UInt8](repeating: 0, count: 8192)) } }
        let rows = try entries(path).filter { $0.key.count == 2 && $0.key[0] == 7 }
        for number in 0..<200 as Range<UInt8> {
            let found = rows.filter { $0.key[1] == number }
            let live = found.filter { $0.standing == .live }.map(\.value)
            if hasMetas { #expect(live == [value(number, 2)]) } else { #expect(live.isEmpty) }
            #expect(found.contains { $0.value == value(number, 2) })
        }
    }

    @Test("a page that a value imitates is doubtful")
    func forgedPage() throws {
        do {
            let fixture = try Fixture.create(path)
            try fixture.put([1], [UInt8](repeating: 0, count: 20_000))
        }
        try change(path) { bytes in
            let overflow = stride(from: 8192, to: bytes.count, by: 4096).first { bytes[$0 + 10] == 4 } ?? 0
            let page = overflow + 4096
            // Number, kind, bounds, one node with the key 9 and the value 8.
            withUnsafeBytes(of: UInt64(page / 4096).littleEndian) {
                bytes.replaceSubrange(page..<page + 8, with: $0)
            }
            bytes.replaceSubrange(page + 8..<page + 18, with: [0, 0, 2, 0, 18, 0, 0, 15, 0, 15])
            bytes.replaceSubrange(page + 0xF00..<page + 0xF0A, with: [1, 0, 0, 0, 0, 0, 1, 0, 9, 8])
        }
        let found = try entries(path)
        #expect(found.contains(Entry(key: [9], value: [8], standing: .doubtful)))
        #expect(found.contains { $0.key == [1] && $0.standing == .live && $0.value.count == 20_000 })
    }

    @Test("random bytes in the place of pages end nothing", arguments: 0..<20)
    func randomPages(seed: UInt64) throws {
        try fill(path)
        var random = SplitMix64(seed: seed)
        try change(path) { bytes in
            for _ in 0..<40 {
                let start = random.nextIndex(bytes.count - 64)
                for offset in start..<start + 64 { bytes[offset] = UInt8(truncatingIfNeeded: random.next()) }
            }
        }
        #expect(try entries(path).count >= 100)
    }
}
