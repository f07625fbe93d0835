#if os(macOS) || os(Linux)
import Foundation
import MessageStoreTestKit
import Testing

@Suite("Damaged files", .serialized, .timeLimit(.minutes(120)), .enabled(if: Battery.isOn, Battery.isOff))
struct DamageTests {
    /// What a damage came to, the worst first.
    enum Outcome: Int, CaseIterable, Comparable {
        case crash, hang, untyped, wrong, recordedAgain, onlyVerifyTells, cleanError, correct

        static func < (first: Outcome, second: Outcome) -> Bool { first.rawValue < second.rawValue }
    }

    /// The files of a store, with their share of the tries.
    private static let files = [
        "log/data.mdb": 5, "views/data.mdb": 4, "identity.json": 1, "log/lock.mdb": 1, "views/lock.mdb": 1,
    ]

    @Test("I10: damage of any file is a clean error or changes nothing", arguments: files.keys.sorted())
    func damage(file: String) throws {
        let worker = Worker()
        let place = try TemporaryDirectory()
        let reference = place.path + "/reference"
        guard case .line("made") = try worker.ask(["make", reference]) else {
            Issue.record("the store could not be made")
            return
        }
        var random = SplitMix64(seed: Battery.seed)
        let tries = Battery.tries(short: 20, long: 1_900) * (Self.files[file] ?? 1)
        var counts: [Outcome: Int] = [:]
        for number in 0..<tries {
            let damage = Damage.allCases[number % Damage.allCases.count]
            let copy = place.path + "/copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: reference, toPath: copy)
            guard var bytes = FileManager.default.contents(atPath: copy + "/" + file).map({ [UInt8]($0) }) else {
                continue
            }
            damage.apply(to: &bytes, &random)
            try Data(bytes).write(to: URL(fileURLWithPath: copy + "/" + file))
            let answer = try worker.ask(["damage", copy, reference])
            let outcome = Self.outcome(answer, isLog: file.hasPrefix("log/data"))
            counts[outcome, default: 0] += 1
            if Self.forbidden(file).contains(outcome) {
                Issue.record("\(file), \(damage), try \(number), seed \(Battery.seed): \(outcome), \(answer)")
            }
        }
        let figures = Outcome.allCases.map { "\($0) \(counts[$0] ?? 0)" }.joined(separator: ", ")
        print("battery: damage of \(file): tries \(tries), \(figures)")
    }

    /// What may not come of damage of a file.
    ///
    /// Views are a cache: damage within a page is served until they are verified, and a known message whose index entry is
    /// lost is recorded again; both are counted.
    private static func forbidden(_ file: String) -> Set<Outcome> {
        let always: Set<Outcome> = [.crash, .hang, .untyped]
        return file.hasPrefix("views/") ? always : always.union([.wrong, .recordedAgain])
    }

    /// Judges the answer of the worker: a word for each way of reading, one for verifying, a count of events taken for new.
    private static func outcome(_ answer: Worker.Answer, isLog: Bool) -> Outcome {
        guard case .line(let line) = answer else { return answer == .hang ? .hang : .crash }
        let words = line.split(separator: "\t").map(String.init)
        guard words.count == 5, !words.contains("untyped") else { return .untyped }
        let (readings, verification, again) = (words[0..<3], words[3], words[4])
        if let count = Int(again), count > 0 { return .recordedAgain }
        if readings.contains("other") { return .wrong }
        if readings.contains(where: { $0 != "same" }) { return .cleanError }
        return verification == "same" && again == "0" ? .correct : .onlyVerifyTells
    }
}
#endif
