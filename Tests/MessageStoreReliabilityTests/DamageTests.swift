#if os(macOS) || os(Linux)
import Foundation
import MessageStoreWorkload
import Testing

@Suite("Damaged files", .serialized, .timeLimit(.minutes(120)), .enabled(if: Battery.isOn, Battery.isOff))
struct DamageTests {
    /// What a damage came to, the worst first.
    enum Outcome: Int, CaseIterable, Comparable {
        case crash, hang, untyped, wrong, recordedAgain, onlyVerifyTells, cleanError, correct

        static func < (first: Outcome, second: Outcome) -> Bool { first.rawValue < second.rawValue }
    }

    /// How the store is opened, and what the mark beside the file says.
    enum Policy: String, CaseIterable {
        case afterUncleanClose, always
        /// By default, where the damage left inode, length and times alone, so that the mark vouches for the file.
        case unnoticed
    }

    /// A file of a store, how it is opened, and its share of the tries.
    struct Target: CustomTestStringConvertible, Sendable {
        let file: String
        let policy: Policy
        let share: Int
        var testDescription: String { "\(file), \(policy)" }
        var isLog: Bool { file == "log/data.mdb" }
        var isViews: Bool { file == "views/data.mdb" }

        /// What may not come of damage.
        ///
        /// Views are a cache: by default damage within a page is served until they are verified, but they never decide
        /// what is recorded (I15). Where the damage is unnoticed, nothing is promised. Both are counted.
        var forbidden: Set<Outcome> {
            let bad: Set<Outcome> = [.crash, .hang, .untyped]
            return switch policy {
            case .unnoticed: []
            case .afterUncleanClose where isViews: bad.union([.recordedAgain])
            case .always where isViews: bad.union([.wrong, .recordedAgain, .onlyVerifyTells])
            case .afterUncleanClose, .always: bad.union([.wrong, .recordedAgain])
            }
        }
    }

    private static let smallFiles =
        ["identity.json", "log/lock.mdb", "views/lock.mdb"] + (TemporaryStore.key == nil ? [] : ["log/keys.json"])

    static let targets =
        Policy.allCases.flatMap { policy in
            [
                Target(file: "log/data.mdb", policy: policy, share: 5),
                Target(file: "views/data.mdb", policy: policy, share: 4),
            ]
        }
        + [Policy.afterUncleanClose, .always].flatMap { policy in
            smallFiles.map { Target(file: $0, policy: policy, share: 1) }
        }

    @Test("I10, I15: damage of any file is a clean error or changes nothing", arguments: targets)
    func damage(target: Target) throws {
        let worker = Worker()
        let place = try TemporaryDirectory()
        let reference = place.path + "/reference"
        guard case .line("made") = try worker.ask(["make", reference]) else {
            Issue.record("the store could not be made")
            return
        }
        var random = SplitMix64(seed: Battery.seed)
        let tries = Battery.tries(short: 8, long: 640) * target.share
        var counts: [Outcome: Int] = [:]
        for number in 0..<tries {
            let damage = Damage.allCases[number % Damage.allCases.count]
            let copy = place.path + "/copy"
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: reference, toPath: copy)
            let file = copy + "/" + target.file
            var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: file)))
            damage.apply(to: &bytes, &random)
            try Data(bytes).write(to: URL(fileURLWithPath: file))
            if target.policy == .unnoticed {
                for name in ["/log", "/views"] { #expect(try worker.ask(["forge", copy + name]) == .line("forged")) }
            }
            let policy = target.policy == .always ? "always" : "afterUncleanClose"
            let answer = try worker.ask(["damage", copy, reference, policy], limit: 20)
            let outcome = Self.outcome(answer)
            counts[outcome, default: 0] += 1
            if target.forbidden.contains(outcome) {
                Issue.record("\(target), \(damage), try \(number), seed \(Battery.seed): \(outcome), \(answer)")
            }
        }
        Battery.report(
            "damage of \(target.file), \(target.policy)",
            [("tries", tries)] + Outcome.allCases.map { ("\($0)", counts[$0] ?? 0) })
    }

    /// Judges the answer of the worker: a word for each way of reading, one for verifying, a count of events taken for new.
    private static func outcome(_ answer: Worker.Answer) -> Outcome {
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
