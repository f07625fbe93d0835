import Foundation
import MessageStore
import Testing

@testable import MessageStoreTool

@Suite("messagestore export --anonymise", .tool, .timeLimit(.minutes(30)))
struct AnonymousExportTests {
    /// What a user sees of a store without words and names: everything that is counted, in its order.
    private struct Counts: Equatable {
        var lists: [String] = []

        /// - Parameter shift: Milliseconds by which the times are later than they are to be told.
        init(_ place: ToolPlace, shift: Int64 = 0) throws {
            func words(_ time: Timestamp?) -> Int64 {
                guard let time, time != .unknown, time != .latest else { return time?.milliseconds ?? -1 }
                return time.milliseconds - shift
            }
            let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
            defer { try? store.close() }
            lists = try store.read { views in
                var lists = ["\(try views.unreadTotals())", "\(try views.unreadTotals(includesMuted: true))"]
                for conversation in try views.conversations(limit: 1000).elements {
                    lists.append(
                        "\(conversation.key.kind) \(conversation.unread.messages) \(conversation.unread.mentions) "
                            + "\(conversation.unread.isMarkedUnread) \(conversation.isPinned) \(conversation.isMuted) "
                            + "\(conversation.memberCount) \(words(conversation.lastMessage?.time))")
                    for message in try views.timeline(of: conversation.key, limit: 1000).elements {
                        lists.append(
                            "  \(message.id) \(words(message.time)) \(message.status) \(message.flags) \(message.isOutgoing) "
                                + "\(message.isRecalled) \(message.isModified) \(message.countsUnread) "
                                + "\(message.context.mentions.count) \(message.content.type)")
                    }
                }
                return lists
            }
        }
    }

    private static func random(seed: UInt64) throws -> ToolPlace {
        let place = try ToolPlace()
        var events = RandomEvents(seed: seed)
        try place.write(account: RandomEvents.account) { store in
            for _ in 0..<120 { try store.record(events.nextBatch(after: try store.lastPosition())) }
        }
        return place
    }

    /// Every string in a JSON value but those that say of what kind something is.
    private static func strings(_ value: Any, _ key: String = "") -> Set<String> {
        let kinds = [
            "type", "origin", "kind", "contentType", "status", "rule", "verdict", "state", "reason", "flags", "scope",
        ]
        switch value {
        case let string as String:
            // Free text and a reason of the library's share a name; the latter is one lower-case word.
            return kinds.contains(key) && string.allSatisfy { $0.isASCII } ? [] : [string]
        case let list as [Any]: return list.reduce(into: []) { $0.formUnion(strings($1, key)) }
        case let object as [String: Any]:
            let isPairs = ["values", "set", "entries", "indexed"].contains(key)
            return object.reduce(into: isPairs ? Set(object.keys) : []) { $0.formUnion(strings($1.value, $1.key)) }
        default: return []
        }
    }

    @Test("counts and orders are as before, and no string of the original is left", arguments: Seeds.first(2))
    func anonymous(seed: UInt64) throws {
        // 0 stands for the samples of every type.
        let place = try seed == 0 ? SampleStore().place : Self.random(seed: seed)
        let run = try place.run("export", "--anonymise").succeeded()
        let (copy, imported) = try place.imported(run.output.utf8)
        imported.succeeded()
        #expect(try Counts(copy) == Counts(place))

        let original = try place.run("log", "--json", "--text").objects()
        let renamed = try copy.run("log", "--json", "--text").objects()
        for key in ["position", "commit", "recordedTime", "type", "origin"] {
            #expect(original.map { "\($0[key] ?? "")" } == renamed.map { "\($0[key] ?? "")" }, "\(key)")
        }
        // The types of contents are those of the app, and stay.
        let types = Set(original.compactMap { $0.object("payload")["contentType"] as? String })
        let secrets = Self.strings(original.map { $0 as Any }).filter { !$0.isEmpty && !types.contains($0) }
        let left = Self.strings(renamed.map { $0 as Any }).subtracting(types)
        #expect(secrets.count > 30)
        #expect(secrets.intersection(left).sorted() == [])
        // Among the ids and keys of the original are words of the format.
        for secret in secrets.subtracting(["type", "system"]) where secret.utf8.count > 1 {
            let isLeft = run.output.contains("\"\(secret)\"")
            #expect(!isLeft, "\(secret)")
        }
        let words = run.errors.split(separator: "\n")
        #expect(words.count == 2 && words.allSatisfy { $0.hasPrefix("messagestore: ") }, "\(run.errors)")
    }

    @Test("times are later by one number, and counts and orders are as before", arguments: Seeds.first(2))
    func shifted(seed: UInt64) throws {
        let place = try seed == 0 ? SampleStore().place : Self.random(seed: seed)
        let run = try place.run("export", "--anonymise", "--shift-times").succeeded()
        let (copy, imported) = try place.imported(run.output.utf8)
        imported.succeeded()
        let original = try MessageStore.openReadOnly(place.store, configuration: .ofTests).events(limit: .max)
        let shifted = try MessageStore.openReadOnly(copy.store, configuration: .ofTests).events(limit: .max)
        let shift = try #require(shifted.first).recordedTime.milliseconds - original[0].recordedTime.milliseconds
        #expect(shift > 0 && shift <= 1_000 * 86_400_000)
        func isShifted(_ time: Timestamp?, _ before: Timestamp?) -> Bool {
            guard let before, before != .unknown, before != .latest else { return time == before }
            return time?.milliseconds == before.milliseconds + shift
        }
        for (one, other) in zip(shifted, original) {
            #expect(isShifted(one.recordedTime, other.recordedTime), "\(one.position)")
            #expect(isShifted(one.event.serverTime, other.event.serverTime), "\(one.position)")
        }
        #expect(try Counts(copy, shift: shift) == Counts(place))
    }

    @Test("names are in the order of the strings' bytes, and equal strings have one name")
    func names() throws {
        var names = Pseudonyms()
        let strings = ["b", "a", "", "bb", "é", "e\u{301}", "ÿ", "苹果", "A", "a"]
        strings.forEach { names.collect($0) }
        names.assign()
        let sorted = strings.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let given = sorted.map { names.name(of: $0) }
        #expect(given == given.sorted())
        #expect(Set(given).count == 9 && names.name(of: "").isEmpty)
        #expect(names.name(of: "é") != names.name(of: "e\u{301}"))
    }
}
