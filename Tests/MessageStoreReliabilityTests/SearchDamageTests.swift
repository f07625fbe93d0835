#if os(macOS) || os(Linux)
import Foundation
import MessageStoreWorkload
import Testing

/// The short forms of these tests take seconds and run with all others; `Battery` says how much else there is.
@Suite("Search: damaged files of the index", .serialized, .timeLimit(.minutes(120)))
struct SearchDamageTests {
    private static let index = "lagging/com.messagestore.search"

    @Test(
        "a flipped bit of the index is noticed, or changes no answer; catching up makes it right again",
        arguments: ["always", "default", "always, unnoticed"])
    func bits(policy: String) throws {
        let (place, reference, worker) = (try Self.stores.get(), "/reference", Worker())
        var random = SplitMix64(seed: Battery.seed)
        let tries = Battery.tries(plain: 1, short: 60, long: 500)
        var figures = (right: 0, incomplete: 0, refused: 0)
        for number in 0..<tries {
            let copy = try Self.copy(place.path + reference)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            let file = "\(copy)/\(Self.index)/data.mdb"
            var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
            let (offset, bit) = (Self.offset(in: bytes.count, number, &random), random.nextIndex(8))
            bytes[offset] ^= 1 << UInt8(bit)
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            // The mark next to the file says that nothing has changed.
            if policy.hasSuffix("unnoticed") { _ = try worker.ask(["forge", "\(copy)/\(Self.index)"]) }
            let check = policy.hasPrefix("always") ? "always" : "default"
            let answer = try worker.ask(["search-damage", copy, place.path + reference, check], limit: 60)
            guard let counts = Self.counts(answer) else {
                Issue.record("bit \(bit) of byte \(offset), seed \(Battery.seed), try \(number): \(answer)")
                continue
            }
            figures.right += counts[0]
            figures.incomplete += counts[1]
            figures.refused += counts[2]
        }
        Battery.report(
            "flipped bits of the search index, \(policy)",
            [
                ("tries", tries), ("right", figures.right), ("incomplete", figures.incomplete),
                ("refused", figures.refused),
            ])
    }

    /// Half of the bits are in the headers of pages, where there are fewer bytes.
    private static func offset(in count: Int, _ number: Int, _ random: inout SplitMix64) -> Int {
        guard number.isMultiple(of: 2) else { return random.nextIndex(count) }
        return min(random.nextIndex(count / 4096) * 4096 + random.nextIndex(96), count - 1)
    }

    /// What becomes of the files of the index.
    enum Change: String, CaseIterable {
        case truncated, halved, emptied, foreign, zeroed, missing, directory, otherStore, noFolder, fileAsFolder, noData

        func apply(to folder: String, _ other: String) throws {
            let (manager, data) = (FileManager.default, folder + "/data.mdb")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: data))
            func put(_ bytes: Data) throws { try bytes.write(to: URL(fileURLWithPath: data)) }
            switch self {
            case .truncated: try put(bytes.dropLast(5_000))
            case .halved: try put(bytes.prefix(bytes.count / 2))
            case .emptied: try put(Data())
            case .foreign: try put(Data(repeating: 0x41, count: 20_000))
            case .zeroed: try put(Data(count: bytes.count))
            case .missing: try manager.removeItem(atPath: data)
            case .directory:
                try manager.removeItem(atPath: data)
                try manager.createDirectory(atPath: data, withIntermediateDirectories: false)
            case .otherStore: try put(Data(contentsOf: URL(fileURLWithPath: other + "/data.mdb")))
            case .noFolder: try manager.removeItem(atPath: folder)
            case .fileAsFolder:
                try manager.removeItem(atPath: folder)
                try bytes.write(to: URL(fileURLWithPath: folder))
            case .noData:
                for name in try manager.contentsOfDirectory(atPath: folder) where name != "data.mdb" {
                    try manager.removeItem(atPath: folder + "/" + name)
                }
            }
        }
    }

    @Test(
        "files of the index that are cut off, empty, foreign or missing change no answer",
        arguments: Battery.isOn ? Change.allCases : [.halved, .otherStore, .noFolder])
    func files(change: Change) throws {
        let (place, worker) = (try Self.stores.get(), Worker())
        let copy = try Self.copy(place.path + "/reference")
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try change.apply(to: "\(copy)/\(Self.index)", "\(place.path)/other/\(Self.index)")
        let answer = try worker.ask(["search-damage", copy, place.path + "/reference", "default"], limit: 60)
        #expect(Self.counts(answer) != nil, "\(answer)")
    }

    /// Two stores with the same messages.
    private static let stores = Result {
        let place = try TemporaryDirectory()
        for name in ["/reference", "/other"] { try make(Worker(), place.path + name) }
        return place
    }

    private static func make(_ worker: Worker, _ path: String) throws {
        try #require(try worker.ask(["make-search", path, Battery.isOn ? "500" : "200"]) == .line("fine"))
    }

    private static func copy(_ reference: String) throws -> String {
        let copy = reference + "-copy-\(UInt64.random(in: 0...UInt64.max))"
        try FileManager.default.copyItem(atPath: reference, toPath: copy)
        return copy
    }

    private static func counts(_ answer: Worker.Answer) -> [Int]? {
        guard case .line(let line) = answer, line.hasPrefix("good\t") else { return nil }
        return line.split(separator: "\t").dropFirst().compactMap { Int($0) }
    }
}
#endif
