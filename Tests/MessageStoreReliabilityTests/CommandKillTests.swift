#if os(Linux)
import Foundation
import MessageStore
import Testing

@Suite(
    "Commands that are killed", .serialized, .timeLimit(.minutes(60)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct CommandKillTests {
    /// What the tool is asked to do, in a directory with a store and what the command needs.
    enum Command: String, CaseIterable {
        case erase, retain, compact, backup, ship, restore, follow

        func arguments(_ directory: String) -> [String] {
            let (store, place, copy) = (directory + "/store", directory + "/place", directory + "/copy")
            return switch self {
            case .erase: ["erase", store, "--user", "bob", "--conversation", "group:g", "--also-messages"]
            case .retain: ["retain", store, "--messages", "1", "--also-unread"]
            case .compact: ["compact", store]
            case .backup: ["backup", store, copy]
            case .ship: ["ship", store, place]
            case .restore: ["restore", place, copy, "--shipped"]
            case .follow: ["follow", place, copy, "--once"]
            }
        }

        var forgets: Bool { [.erase, .retain, .compact].contains(self) }
        var copies: Bool { [.backup, .restore, .follow].contains(self) }
    }

    private static let secret = "Zq7secretQz7"

    @Test(
        "I2, I16, I20: a command that is killed at any file call loses nothing, and can be repeated",
        arguments: Command.allCases)
    func kills(command: Command) throws {
        let base = try TemporaryDirectory()
        try Self.prepare(base.path, command)
        let whole = try base.copy()
        let calls = try FaultShim.countCalls(under: whole.path) {
            try Tool.run(command.arguments(whole.path), $0).exit == 0
        }
        try Self.check(whole, command, "whole")
        let tries = FaultShim.some(Battery.tries(plain: 4, short: 15, long: 120), of: calls)
        for call in tries {
            let directory = try base.copy()
            let environment = FaultShim.environment(under: directory.path, .kill, at: call)
            _ = try Tool.run(command.arguments(directory.path), environment)
            let what = "\(command), killed at call \(call) of \(calls)"
            let isDone = command.copies && FileManager.default.fileExists(atPath: directory.path + "/copy")
            if !isDone || command == .follow {
                let again = try Tool.run(command.arguments(directory.path))
                #expect(again.exit == 0, "\(what): \(again)")
            }
            try Self.check(directory, command, what)
        }
        Battery.report("kills of a command", [("tries", tries.count), ("lost", 0)])
    }

    private static func message(_ number: Int, in key: ConversationKey, _ text: String) -> Event {
        .received(
            ServerMessageID("m\(number)"), from: key.id == "g" ? "bob" : "eve", in: key,
            at: Timestamp(milliseconds: Int64(number)),
            content: .text(text))
    }

    private static func prepare(_ directory: String, _ command: Command) throws {
        let store = try MessageStore.open(directory + "/store", account: "me", configuration: .ofTests)
        try store.record((1...60).map { message($0, in: .group("g"), $0 < 60 ? "\(secret) \($0)" : "last") })
        try store.record((1...40).map { message($0, in: .group("h"), "harmless \($0)") })
        if command == .compact { try store.record(Event(HistoryCleared(erases: true), in: .group("g"))) }
        try store.close()
        guard [.ship, .restore, .follow].contains(command) else { return }
        let ship = Command.ship.arguments(directory)
        #expect(try Tool.run(ship).exit == 0)
        if command == .follow { #expect(try Tool.run(command.arguments(directory)).exit == 0) }
        // What is erased leaves the place, and is not restored.
        let later = try MessageStore.open(directory + "/store", account: "me", configuration: .ofTests)
        try later.erase(.events((1...20).map { Position($0) }))
        try later.record((41...80).map { message($0, in: .group("h"), "harmless \($0)") })
        try later.close()
        if command != .ship { #expect(try Tool.run(ship).exit == 0) }
    }

    /// Checks what a command leaves once it ended: everything that nobody erased, and nothing else.
    private static func check(_ directory: TemporaryDirectory, _ command: Command, _ what: String) throws {
        let isShipped = [.ship, .restore, .follow].contains(command)
        for name in ["store"] + (command.copies ? ["copy"] : []) {
            let path = directory.path + "/" + name
            // A copy gets its views by its first opening for writing.
            let store = try MessageStore.open(path, account: "me", configuration: .ofTests)
            #expect(try store.verify().isConsistent, "\(what), \(name)")
            let kept = command == .retain ? 40...40 : 1...(isShipped ? 80 : 40)
            #expect(try words(store, "h") == kept.map { "harmless \($0)" }, "\(what), \(name)")
            let left = try words(store, "g").count { $0.hasPrefix(secret) }
            #expect(left == (command.forgets ? 0 : isShipped ? 39 : 59), "\(what), \(name)")
            let last = try store.lastPosition()
            let repeated = try store.record((1...40).map { message($0, in: .group("h"), "harmless \($0)") })
            #expect(try repeated.duplicates == 40 && store.lastPosition() == last, "\(what), \(name)")
            if command.forgets {
                #expect(try store.compact().isErasureComplete, "\(what)")
                #expect(FileHunt.files(below: path, having: secret) == [], "\(what)")
            }
            try store.close()
        }
        // One whose lock was not made yet stays for an hour.
        let left = try directory.names().filter { name in
            let path = directory.path + "/" + name
            return name.hasPrefix("messagestore.") && !name.contains(".creating-")
                && FileManager.default.subpaths(atPath: path)?.isEmpty == false
        }
        #expect(left == [], "\(what)")
    }

    private static func words(_ store: MessageStore, _ conversation: String) throws -> [String] {
        try store.read { views in
            try views.timeline(of: .group(conversation), limit: 1000).elements.map { $0.content.text ?? "" }
        }
    }
}
#endif
