#if os(macOS) || os(Linux)
import Foundation
import MessageStoreWorkload
import Testing

@Suite("Bytes that nobody wrote", .serialized, .timeLimit(.minutes(120)), .enabled(if: Battery.isOn, Battery.isOff))
struct FuzzTests {
    @Test("I10: records with broken bytes and a right checksum are read or refused")
    func records() throws {
        let worker = Worker()
        let place = try TemporaryDirectory()
        var decoded = 0
        let (rounds, perRound) = (Battery.tries(short: 4, long: 200), Battery.isLong ? 50_000 : 5_000)
        for round in 0..<rounds {
            let store = place.path + "/store"
            try? FileManager.default.removeItem(atPath: store)
            #expect(try worker.ask(["make-random", store, "\(round)"]) == .line("fine"))
            let answer = try worker.ask(
                ["decode", store, "\(Battery.seed &+ UInt64(round))", "\(perRound)"], limit: 600)
            guard case .line(let line) = answer, line.hasPrefix("read") else {
                Issue.record("round \(round), seed \(Battery.seed): \(answer)")
                continue
            }
            decoded += perRound
        }
        Battery.report("record decodes", [("tries", decoded)])
    }

    @Test("I10: a store whose log holds such records is read or refused")
    func logs() throws {
        let worker = Worker()
        let place = try TemporaryDirectory()
        let reference = place.path + "/reference"
        #expect(try worker.ask(["make-random", reference, "1"]) == .line("fine"))
        let tries = Battery.tries(short: 40, long: 2_000)
        var codes: [String: Int] = [:]
        for number in 0..<tries {
            let copy = place.path + "/copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: reference, toPath: copy)
            #expect(try worker.ask(["break", copy, "\(Battery.seed &+ UInt64(number))", "3"]) == .line("put 3"))
            // The views are of the log as it was.
            try FileManager.default.removeItem(atPath: copy + "/views")
            let answer = try worker.ask(["read", copy])
            guard case .line(let line) = answer, !line.contains("not a store error") else {
                Issue.record("try \(number), seed \(Battery.seed): \(answer)")
                continue
            }
            for word in Set(line.split(separator: "\t").map(String.init)) { codes[word, default: 0] += 1 }
        }
        Battery.report(
            "logs with broken records", [("tries", tries)] + codes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        )
    }

    @Test("I10: identity files with broken bytes are read or refused")
    func identities() throws {
        let worker = Worker()
        let place = try TemporaryDirectory()
        let store = place.path + "/store"
        guard case .line("made") = try worker.ask(["make", store]) else {
            Issue.record("the store could not be made")
            return
        }
        let file = URL(fileURLWithPath: store + "/identity.json")
        let original = try [UInt8](Data(contentsOf: file))
        var random = SplitMix64(seed: Battery.seed)
        var opened = 0
        let tries = Battery.tries(short: 300, long: 100_000)
        for number in 0..<tries {
            let bytes = Self.broken(original, &random)
            try Data(bytes).write(to: file)
            let answer = try worker.ask(["open", store])
            guard case .line(let line) = answer, !line.contains("not a store error") else {
                Issue.record("try \(number), seed \(Battery.seed): \(answer)")
                continue
            }
            if line.hasPrefix("fine") { opened += 1 }
        }
        Battery.report("identity files", [("tries", tries), ("opened", opened)])
    }

    @Test("E1, I10: lines of chat logs with broken bytes are imported or refused, by line")
    func imports() throws {
        let tool = try ChildProcess.executable("messagestore")
        let place = try TemporaryDirectory()
        var random = SplitMix64(seed: Battery.seed)
        let (files, perFile) = (Battery.tries(short: 2, long: 50), Battery.isLong ? 20_000 : 500)
        for number in 0..<files {
            let path = place.path + "/lines.ndjson"
            var bytes: [UInt8] = []
            for line in 0..<perFile {
                let whole = Array(
                    #"{"conv":"房间/#\#(line % 9)","kind":"group","id":"\#(number)-\#(line)","from":"u\#(line % 31)","ts":\#(1_464_746_763_000 + line),"type":"message","text":"晚上 hello \u0041 😀","n":\#(line)}"#
                        .utf8)
                bytes += (random.chance(0.7) ? Self.broken(whole, &random).filter { $0 != 0x0A } : whole) + [0x0A]
            }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let process = Process()
            process.executableURL = tool
            process.arguments = [
                "import", place.path + "/store", path, "--account", "me", "--skip-bad-lines", "--json",
            ]
            process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(
                process.terminationReason == .exit && process.terminationStatus <= 4,
                "file \(number), seed \(Battery.seed): ended with \(process.terminationStatus)")
        }
        Battery.report("lines of imports", [("tries", files * perFile)])
    }

    private static func broken(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        let words = [
            "\"", "\\u0000", "\\ud800", "{", "[", "null", "-1e999", "18446744073709551616", "\u{202E}", "}", ":",
        ]
        for _ in 0...random.nextIndex(3) where !bytes.isEmpty {
            let index = random.nextIndex(bytes.count)
            switch random.nextIndex(6) {
            case 0: bytes[index] ^= 1 << UInt8(random.nextIndex(8))
            case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
            case 2: bytes.removeSubrange(index..<min(index + 1 + random.nextIndex(20), bytes.count))
            case 3: bytes.insert(contentsOf: Array(words[random.nextIndex(words.count)].utf8), at: index)
            case 4: bytes.insert(contentsOf: bytes[index..<min(index + random.nextIndex(40), bytes.count)], at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }
}
#endif
