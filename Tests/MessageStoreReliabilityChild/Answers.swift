import MessageStore
import MessageStoreLMDB
import MessageStoreModel

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Answers questions about stores, one line each, words parted by tabs.
enum Answers {
    static func run() {
        while let line = readLine() {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let answer: String
            switch (words.first, words.count) {
            case ("state", 4): answer = StateCheck(path: words[1], seed: words[2], acknowledged: words[3]).answer()
            case ("make", 2): answer = (try? DamageCheck.make(at: words[1])) != nil ? "made" : "not made"
            case ("damage", 4):
                answer = DamageCheck(path: words[1], reference: words[2], policy: words[3]).answer()
            case ("forge", 2): answer = MarkForgery.forge(in: words[1])
            case ("fill", 3): answer = attempt { try OpeningTimes.fill(words[1], Int(words[2]) ?? 0) }
            case ("time", 3): answer = attempt { try OpeningTimes.measure(words[1], writes: words[2] == "writing") }
            case ("open", 2): answer = open(words[1])
            case ("make-random", 3): answer = makeRandom(words[1], UInt64(words[2]) ?? 0)
            case ("decode", 4): answer = fuzz(words[2]) { try $0.decode(words[1], Int(words[3]) ?? 0) }
            case ("break", 4): answer = fuzz(words[2]) { try $0.put(into: words[1], Int(words[3]) ?? 0) }
            case ("read", 2): answer = readEverything(words[1])
            case ("fuzz-shipped", 5): answer = fuzzShipped(words[1], words[2...].map { UInt64($0) ?? 0 })
            case ("fuzz-inbox", 4):
                answer = attempt {
                    var fuzzer = InboxFuzzer(words[1], seed: UInt64(words[2]) ?? 0)
                    return try fuzzer.run(Int(words[3]) ?? 0)
                }
            case ("make-search", 3): answer = code { try Searching.make(words[1], messages: Int(words[2]) ?? 0) }
            case ("search", 2): answer = SearchCheck(path: words[1]).answer(erases: true)
            case ("search-grow", 2): answer = attempt { try SearchSharing.grow(words[1]) }
            case ("search-read", 3):
                answer = attempt { try SearchSharing.read(words[1], isIndexed: words[2] == "indexed") }
            case ("record-or-redact", 2): answer = attempt { try Once.recordOrRedact(words[1]) }
            case ("count-readers", 1): answer = attempt { try Once.countReaders() }
            case ("search-damage", 4): answer = searchDamaged(words[1], like: words[2], policy: words[3])
            default: answer = "unknown question"
            }
            let bytes = Array((answer + "\n").utf8)
            guard write(1, bytes, bytes.count) == bytes.count else { return }
        }
    }

    nonisolated(unsafe) private static var scans: [String: [[UInt64]]] = [:]

    /// Searches a store whose index was damaged.
    private static func searchDamaged(_ path: String, like reference: String, policy: String) -> String {
        guard let scan = try? scans[reference] ?? SearchTexts.scan(reference) else { return "bad: no scan" }
        scans[reference] = scan
        return SearchCheck(path: path, pageCheck: policy).answer(scan)
    }

    /// Opens a directory in both ways and reads its list; answers the codes.
    private static func open(_ path: String) -> String {
        let reading = code {
            let store = try MessageStore.openReadOnly(path, configuration: .ofTests)
            _ = try store.read { try $0.conversations() }
            try store.close()
        }
        let writing = code {
            let store = try MessageStore.open(path, account: DamageCheck.account, configuration: .ofTests)
            try store.close()
        }
        return "\(reading)\t\(writing)"
    }

    /// Makes a store that holds every kind of event. It is clear: records are forged in it, which nobody can without the key.
    private static func makeRandom(_ path: String, _ seed: UInt64) -> String {
        code {
            let store = try MessageStore.open(path, account: RandomEvents.account)
            var stream = CrashStream(seed: seed)
            for _ in 0..<40 { try store.record(stream.next()) }
            try store.close()
        }
    }

    private static func fuzz(_ seed: String, _ body: (inout RecordFuzzer) throws -> String) -> String {
        var fuzzer = RecordFuzzer(seed: UInt64(seed) ?? 0)
        return attempt { try body(&fuzzer) }
    }

    /// - Parameter numbers: A seed, how many objects, and of how many one is read by restoring and following.
    private static func fuzzShipped(_ directory: String, _ numbers: [UInt64]) -> String {
        attempt {
            try FileSystem.createDirectory(directory)
            defer { try? FileSystem.remove(directory) }
            var fuzzer = try ShippedFuzzer(directory, seed: numbers[0])
            return try fuzzer.run(Int(numbers[1]), wholeEvery: max(1, Int(numbers[2])))
        }
    }

    private static func attempt(_ body: () throws -> String) -> String {
        do { return try body() } catch { return "error \(type(of: error))" }
    }

    /// Reads a clear store in every way, without its views, and writes to it; answers the code of each.
    private static func readEverything(_ path: String) -> String {
        var words = Reading.all.map { reading in
            code {
                let store = try MessageStore.openReadOnly(path)
                defer { try? store.close() }
                _ = try reading.read(store)
            }
        }
        words.append(
            code {
                let store = try MessageStore.open(path, account: RandomEvents.account)
                defer { try? store.close() }
                try store.record(Event(OfflineSyncCompleted()))
                try store.rebuild()
                _ = try store.verify()
            })
        return words.joined(separator: "\t")
    }

    /// "fine", the code of the store's error, or what kind of other error there was.
    static func code(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "fine"
        } catch let error as StoreError {
            return error.code.description
        } catch {
            return "not a store error: \(type(of: error))"
        }
    }
}
