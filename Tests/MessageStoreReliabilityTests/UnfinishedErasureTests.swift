#if os(Linux)
import Foundation
import MessageStore
import Testing

@Suite(
    "Erasures that are not finished", .serialized, .timeLimit(.minutes(60)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct UnfinishedErasureTests {
    /// What the tool is asked to do.
    enum Command: String, CaseIterable {
        case erase, retain

        var options: [String] {
            switch self {
            case .erase: ["--user", "bob", "--conversation", "group:g", "--also-messages"]
            case .retain: ["--messages", "1", "--also-unread"]
            }
        }
    }

    private static let secret = "Zq7secretQz7"
    private static let words = "recorded and not finished"

    @Test(
        "I16, I22: a command of the tool says that it is done only where no answer has what it erases",
        arguments: Command.allCases, [FaultShim.Kind.kill, .noSpace, .inputOutput])
    func faults(command: Command, fault: FaultShim.Kind) throws {
        let base = try TemporaryDirectory()
        try Self.fill(base.path + "/store", command)
        let directory = try TemporaryDirectory()
        try FileManager.default.copyItem(atPath: base.path + "/store", toPath: directory.path + "/store")
        let calls = try FaultShim.countCalls(under: directory.path + "/store") {
            try Self.run(command, directory, $0).exit == 0
        }
        #expect(try Self.answers(directory) == .none)
        let tries = FaultShim.some(Battery.tries(plain: 12, short: 40, long: 400), of: calls)
        var figures = (done: 0, unfinished: 0)
        for call in tries {
            let directory = try TemporaryDirectory()
            try FileManager.default.copyItem(atPath: base.path + "/store", toPath: directory.path + "/store")
            let environment = FaultShim.environment(
                under: directory.path + "/store", fault, at: call, isSticky: fault == .noSpace)
            let end = try Self.run(command, directory, environment)
            let found = try Self.answers(directory)
            let what: Comment = "\(command), \(fault) at call \(call): \(end), \(found)"
            if end.exit == 0 { figures.done += 1 }
            #expect(end.exit != 0 || found == .none, what)
            #expect(end.exit != 3 || !end.errors.contains(Self.words) || found != .all, what)
            guard found == .refused else { continue }
            figures.unfinished += 1
            try Self.checkUnfinished(directory, what)
        }
        #expect(figures.unfinished > 0, "\(command), \(fault)")
        Battery.report(
            "\(fault) in \(command)",
            [("tries", tries.count), ("done", figures.done), ("unfinished", figures.unfinished)])
    }

    /// Every command that reads says what is left, and the next opening for writing finishes it.
    private static func checkUnfinished(_ directory: TemporaryDirectory, _ what: Comment) throws {
        for command in ["verify", "check", "conversations", "log"] {
            let end = try Tool.run([command, directory.path + "/store"])
            #expect(end.exit == 3 && (end.errors + end.output).contains(words), "\(what), \(command): \(end)")
            #expect(!(end.errors + end.output).contains(secret), what)
        }
        #expect(try Tool.run(["compact", directory.path + "/store"]).exit == 0, what)
        #expect(try answers(directory) == .none, what)
        #expect(try Tool.run(["verify", directory.path + "/store"]).exit == 0, what)
    }

    /// What a process that only reads answers of what is erased.
    enum Answers {
        case none, all, refused
    }

    private static func answers(_ directory: TemporaryDirectory) throws -> Answers {
        do {
            let store = try MessageStore.openReadOnly(directory.path + "/store", configuration: .ofTests)
            defer { try? store.close() }
            let shown = try store.read { views in
                let names = try views.conversations(limit: 10).elements.map { $0.displayName }
                return try names + views.timeline(of: .group("g"), limit: 100).elements.map { $0.content.text ?? "" }
            }
            let last = try store.lastPosition()
            let past = try store.replay(to: last) { try $0.profile("bob").info.name ?? "" }
            let events = try store.events(limit: .max).map { "\($0.event)" }
            let left = (shown + [past] + events).count { $0.contains(secret) }
            return left == 0 ? .none : .all
        } catch let error as StoreError where error.code == .erasureUnfinished {
            return .refused
        }
    }

    private static func fill(_ path: String, _ command: Command) throws {
        var configuration = MessageStore.Configuration.ofTests
        configuration.now = { Timestamp(milliseconds: 1_000) }
        let store = try MessageStore.open(path, account: "me", configuration: configuration)
        let messages = (1...60).map { number in
            let text = number < 60 ? "\(secret) \(number)" : "harmless"
            return Event.received(
                "m\(number)", from: "bob", in: .group("g"), at: Timestamp(milliseconds: Int64(number)),
                content: .text(text))
        }
        let name = command == .erase ? secret : "Bob"
        try store.record(messages + [Event(ProfilesFetched([Profile(id: "bob", name: name)]))])
        try store.close()
    }

    private static func run(
        _ command: Command, _ directory: TemporaryDirectory, _ environment: [String: String]
    ) throws -> Tool.End {
        try Tool.run([command.rawValue, directory.path + "/store"] + command.options, environment)
    }
}
#endif
