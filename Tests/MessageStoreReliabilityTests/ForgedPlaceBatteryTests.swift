#if os(macOS) || os(Linux)
import Foundation
import MessageStore
import MessageStoreLog
import MessageStoreModel
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import MessageStoreWorkload
import Testing

@Suite("Places that somebody forged", .serialized, .timeLimit(.minutes(60)))
struct ForgedPlaceBatteryTests {
    @Test("I19, I20: no object with a right checksum changes the store that ships, or a file outside of a copy")
    func forged() async throws {
        let tries = Battery.tries(plain: 12, short: 60, long: 400)
        var random = SplitMix64(seed: Battery.seed)
        let place = try TemporaryStore()
        let store = try place.open()
        var events = RandomEvents(seed: Battery.seed)
        let original = MemoryCarrier()
        var options = LogShipper.Options()
        (options.eventsPerBase, options.segmentBytes) = (150, 2000)
        for _ in 0..<3 {
            for _ in 0..<12 { try await store.record(events.nextBatch(after: store.lastPosition())) }
            try await LogShipper(of: store, to: original, options: options).ship()
        }
        try await store.erase(.users(["u1"], alsoMessages: true))
        try await LogShipper(of: store, to: original, options: options).ship()
        let (digests, log, objects) = (try store.digests(), try await store.events(limit: .max), original.objects)
        let names = objects.keys.filter { !$0.contains("/segments/") }.sorted()
        var figures = (refused: 0, lost: 0)
        for number in 0..<tries {
            let name = names[random.nextIndex(names.count)]
            let carrier = MemoryCarrier(objects)
            guard let bytes = objects[name], let forged = Self.forged(bytes, name, &random) else { continue }
            try await carrier.replace(name, with: forged)
            do { try await LogShipper(of: store, to: carrier, options: options).ship() } catch is StoreError {
                figures.refused += 1
            }
            let path = place.directory + "/copy-\(number)"
            _ = try? await LogRestorer(from: carrier, key: TemporaryStore.key).restore(to: path)
            try? FileManager.default.removeItem(atPath: path)
            let after = try await store.events(limit: .max)
            let isSame = try store.digests() == digests && after == log
            let others = try FileManager.default.contentsOfDirectory(atPath: place.directory)
            #expect(isSame && others == ["store"], "try \(number) of \(name), seed \(Battery.seed): \(others)")
            if !isSame { figures.lost += 1 }
        }
        try await store.close()
        Battery.report("forged places", [("tries", tries), ("refused", figures.refused), ("lost", figures.lost)])
    }

    /// Values that nobody ships, in the place of some of an object's.
    private static func forged(_ bytes: [UInt8], _ name: String, _ random: inout SplitMix64) -> [UInt8]? {
        let isLedger = name.contains("/erasures/")
        let json = isLedger ? bytes : Array(bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst())
        guard var object = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else { return nil }
        for key in object.keys.sorted() where random.chance(0.5) {
            object[key] = changed(object[key] as Any, &random)
        }
        if isLedger { object["checksum"] = nil }
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let text = try? JSONSerialization.data(withJSONObject: object, options: options) else { return nil }
        let checksum = XXH64.hash([UInt8](text).span.bytes)
        guard isLedger else { return Array("\(checksum.hexadecimal())\n".utf8) + text }
        object["checksum"] = String(checksum, radix: 16)
        return (try? JSONSerialization.data(withJSONObject: object, options: options)).map { [UInt8]($0) }
    }

    private static func changed(_ value: Any, _ random: inout SplitMix64) -> Any {
        switch value {
        case is NSNumber: return [0, 1, 7, 60, 1_000_000, Int.max][random.nextIndex(6)]
        case let text as String:
            return ["", "../../outside", "/tmp/outside", "log/../../outside", text + text][random.nextIndex(5)]
        case let values as [Any]:
            if values.isEmpty { return [[1, 60]] }
            return random.chance(0.3) ? values + values : values.map { changed($0, &random) }
        case let object as [String: Any]: return object.mapValues { changed($0, &random) }
        default: return value
        }
    }
}
#endif
