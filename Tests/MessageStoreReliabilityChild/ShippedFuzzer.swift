import Foundation
import MessageStore
import MessageStoreLMDB
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreWorkload

/// Reads shipped objects with broken bytes: as they are, and with their checksums put right. The first must be refused, or
/// say the same; of the second none may end the process.
struct ShippedFuzzer {
    private let place: ShippedScene
    private var mutations: Mutations
    private var records: RecordFuzzer
    private let expected: [String: String]
    /// The objects' names by their kind.
    private let kinds: [(kind: String, names: [String])]
    private var (same, refused, whole) = (0, 0, 0)

    init(_ directory: String, seed: UInt64) throws {
        let place = try ShippedScene(directory, seed: seed)
        self.place = place
        (mutations, records) = (Mutations(seed: seed), RecordFuzzer(seed: seed))
        expected = try place.objects.reduce(into: [:]) { $0[$1.key] = try place.read($1.value, $1.key) }
        let kinds = Dictionary(grouping: place.objects.keys.sorted(), by: ShippedScene.kind)
            .map { (kind: $0.key, names: $0.value) }.sorted { $0.kind < $1.kind }
        // Most are segments.
        let segments = kinds.filter { $0.kind == "segments" }
        self.kinds = kinds + (0..<6).flatMap { _ in segments }
    }

    /// Reads so many broken objects, some of them by restoring or following; answers with numbers, or the first problem.
    mutating func run(_ count: Int, wholeEvery: Int) throws -> String {
        for number in 0..<count {
            let (kind, names) = kinds[mutations.random.nextIndex(kinds.count)]
            let name = names[mutations.random.nextIndex(names.count)]
            guard let original = place.objects[name] else { return "bad: no object" }
            let isSealed = kind != "pieces" && mutations.random.chance(0.5)
            let others = names.compactMap { place.objects[$0] }
            guard let bytes = isSealed ? sealed(original, kind) : mutations.broken(original, others) else {
                refused += 1
                continue
            }
            if let problem = try check(bytes, names, name, isSealed) {
                return "bad: \(problem) at \(number) of \(name)"
            }
            guard number % wholeEvery == 0 else { continue }
            whole += 1
            // Also a whole object in the place of another one, but for the end of a log, which is a successor's only trace.
            let isSwapped =
                ["segments", "pieces"].contains(kind) && !original.isLogEnd && mutations.random.chance(0.2)
            let other = isSwapped ? others[mutations.random.nextIndex(others.count)] : bytes
            if let problem = try place.checkWhole([name: other], isSealed && !isSwapped) {
                return "bad: \(problem) at \(number) of \(name), as a whole"
            }
        }
        return "read \(same)\trefused \(refused)\twhole \(whole)"
    }

    private mutating func check(
        _ bytes: [UInt8], _ names: [String], _ name: String, _ isSealed: Bool
    ) throws -> String? {
        let found: String?
        do { found = try place.read(bytes, name) } catch is StoreError { found = nil }
        guard let found else {
            refused += 1
            return nil
        }
        same += 1
        // It may have become another object of its kind, or changed in bytes without a meaning.
        return isSealed || names.contains { found == expected[$0] } ? nil : "something else was read"
    }

    /// An object whose checksums are right; nil where the change left nothing that could have one.
    private mutating func sealed(_ bytes: [UInt8], _ kind: String) -> [UInt8]? {
        switch kind {
        case "segments" where !bytes.isLogEnd:
            guard var parts = SegmentParts(bytes) else { return nil }
            parts.change(&mutations, &records)
            return parts.bytes
        case "erasures":
            let json = mutations.brokenJSON(bytes)
            return (try? JSONDecoder().decode(ErasureLedger.self, from: Data(json)).json).map { Array($0.utf8) }
        default:
            let json = mutations.brokenJSON(Array(bytes[17...]))
            return Array("\(XXH64.hash(json.span.bytes).hexadecimal())\n".utf8) + json
        }
    }
}
