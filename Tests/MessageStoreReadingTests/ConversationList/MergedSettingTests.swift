import MessageStore
import Testing
@testable import MessageStoreTestSupport

/// Settings that several devices change: the expectations are those of d33 in `Docs/Requirements.md`.
@Suite("d33, X16: settings are merged by their time")
struct MergedSettingTests {
    /// A setting, its values from the one that loses a tie to the one that holds, and what a store shows of it.
    struct Setting: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let event: @Sendable (_ value: Int, _ time: Timestamp?) -> Event
        let shown: @Sendable (MessageStore) throws -> Int

        static let all: [Setting] = [
            Setting(testDescription: "pin") {
                Event(ConversationPinned($0 > 0, at: $1), in: group)
            } shown: {
                try $0.conversation()?.isPinned == true ? 1 : 0
            },
            Setting(testDescription: "mute") {
                Event(ConversationMuted($0 > 0, at: $1), in: group)
            } shown: {
                try $0.conversation()?.isMuted == true ? 1 : 0
            },
            Setting(testDescription: "archive") {
                Event(ConversationArchived($0 > 0, at: $1), in: group)
            } shown: {
                try $0.conversation()?.isArchived == true ? 1 : 0
            },
            Setting(testDescription: "level") {
                Event(ConversationMuted([.all, .mentionsOnly, .nothing][$0], at: $1), in: group)
            } shown: {
                Int(try $0.conversation()?.notificationLevel.rawValue ?? 0)
            },
            Setting(testDescription: "mark") {
                Event(ConversationMarkedUnread($0 > 0, at: $1), in: group)
            } shown: { store in
                try store.read { try $0.unread(of: group).isMarkedUnread } ? 1 : 0
            },
            Setting(testDescription: "tag") {
                Event(ConversationTagged(add: $0 > 0 ? ["t"] : [], remove: $0 > 0 ? [] : ["t"], at: $1), in: group)
            } shown: {
                try $0.conversation()?.tags == ["t"] ? 1 : 0
            },
            Setting(testDescription: "nickname") {
                Event(MemberInfoChanged("bob", nickname: ["", "a", "é"][$0], at: $1), in: group)
            } shown: { store in
                let members = try store.members()
                return ["", "a", "é"].firstIndex(of: members.first { $0.id == "bob" }?.nickname ?? "") ?? -1
            },
            Setting(testDescription: "role") {
                Event(MemberInfoChanged("bob", role: UInt8($0), at: $1), in: group)
            } shown: { store in
                Int(try store.members().first { $0.id == "bob" }?.role ?? 0)
            },
        ]
    }

    private static let beginning = [created("Name", members: ["me", "bob"]), received("a", at: 1)]

    private func check(_ setting: Setting, _ events: [Event], is value: Int) throws {
        try withTemporaryStore { store throws in
            try store.record(Self.beginning)
            for event in events { try store.record(event) }
            let shown = try setting.shown(store)
            #expect(shown == value, "\(events.map(\.payload))")
        }
    }

    @Test("the latest choice holds, in whichever order devices tell of them", arguments: Setting.all)
    func permutations(setting: Setting) throws {
        let choices = [setting.event(1, ms(10)), setting.event(0, ms(20)), setting.event(1, ms(30))]
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            try check(setting, order.map { choices[$0] }, is: 1)
        }
        try check(setting, [choices[1], choices[0]], is: 0)
    }

    @Test("of two with one time, setting holds against unsetting, in both orders", arguments: Setting.all)
    func ties(setting: Setting) throws {
        try check(setting, [setting.event(1, ms(10)), setting.event(0, ms(10))], is: 1)
        try check(setting, [setting.event(0, ms(10)), setting.event(1, ms(10))], is: 1)
    }

    @Test("of two nicknames or roles with one time, the later in the log holds", arguments: Setting.all.suffix(2))
    func later(setting: Setting) throws {
        try check(setting, [setting.event(2, ms(10)), setting.event(1, ms(10))], is: 1)
        try check(setting, [setting.event(1, ms(10)), setting.event(2, ms(10))], is: 2)
    }

    @Test(
        "a choice without a time is made when it is recorded, also where the clock was set back", arguments: Setting.all
    )
    func untimed(setting: Setting) throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(Self.beginning)
            let now = place.time.now.milliseconds
            try store.record(setting.event(1, ms(now + 50_000)))
            try store.record(setting.event(0, nil))
            var shown = try setting.shown(store)
            #expect(shown == 0, "it is later than what was known")
            try store.record(setting.event(1, ms(now - 1)))
            shown = try setting.shown(store)
            #expect(shown == 0, "what was chosen before comes too late")
            place.time.move(byMilliseconds: -500_000)
            try store.record(setting.event(1, nil))
            shown = try setting.shown(store)
            #expect(shown == 1)
            try store.record(setting.event(0, ms(now + 60_000)))
            shown = try setting.shown(store)
            #expect(shown == 0)
            #expect(try store.isConsistent())
        }
    }

    @Test("d33: one wrong reading of the clock bars no later choice, with a time or without", arguments: Setting.all)
    func wrongReading(setting: Setting) throws {
        let place = try TemporaryStore()
        let lead: Int64 = 70 * 365 * 86_400_000
        place.time.move(byMilliseconds: lead)
        try place.withStore { store throws in
            try store.record(Self.beginning)
            try store.record(setting.event(1, nil))
        }
        place.time.move(byMilliseconds: -lead)
        try place.withStore { store throws in
            try store.record(setting.event(0, nil))
            var shown = try setting.shown(store)
            #expect(shown == 0, "a choice without a time takes effect")
            let now = place.time.now.milliseconds
            try store.record(setting.event(1, ms(now - 1)))
            shown = try setting.shown(store)
            #expect(shown == 0, "an earlier one does not")
            try store.record(setting.event(1, ms(now + 1)))
            shown = try setting.shown(store)
            #expect(shown == 1, "a later one with its true time does")
            #expect(try store.isConsistent())
        }
    }

    @Test("d33: a clock that is far ahead bars later choices for a day", arguments: Setting.all)
    func farAhead(setting: Setting) throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            try store.record(Self.beginning)
            try store.record(setting.event(1, .latest))
            place.time.move(byMilliseconds: 86_400_001)
            try store.record(setting.event(0, place.time.now))
            let shown = try setting.shown(store)
            #expect(shown == 0)
        }
    }

    @Test("drafts: the latest is shown and places the conversation; of two with one time, the later in the log")
    func drafts() throws {
        func draft(_ text: String?, _ time: Int64) -> Event {
            Event(ConversationDraftChanged(text, at: ms(time)), in: group)
        }
        for texts in [["new", "old"], ["old", "new"]] {
            try withTemporaryStore { store throws in
                for text in texts { try store.record(draft(text, text == "new" ? 900 : 800)) }
                #expect(try store.conversation()?.draft == "new")
                #expect(try store.conversation()?.activity == ms(900))
                try store.record(draft("newer", 900))
                #expect(try store.conversation()?.draft == "newer")
                try store.record(draft(nil, 900))
                #expect(try store.conversation()?.draft == "newer")
                try store.record(draft(nil, 901))
                #expect(try store.conversation()?.draft == nil)
            }
        }
    }

    @Test("tags are merged one by one")
    func tags() throws {
        try withTemporaryStore { store throws in
            try store.record(Event(ConversationTagged(add: ["a", "b"], at: ms(20)), in: group))
            try store.record(Event(ConversationTagged(add: ["c"], remove: ["a", "b"], at: ms(10)), in: group))
            #expect(try store.conversation()?.tags == ["a", "b", "c"])
            try store.record(Event(ConversationTagged(remove: ["a"], at: ms(30)), in: group))
            #expect(try store.conversation()?.tags == ["b", "c"])
            #expect(try store.read { try $0.conversations(tagged: "a").elements }.isEmpty)
        }
    }

    @Test("tags are distinguished by their bytes", .store)
    func tagBytes() throws {
        try store.record(Event(ConversationTagged(remove: ["e\u{301}"], at: ms(20)), in: group))
        try store.record(Event(ConversationTagged(add: ["\u{E9}", "e\u{301}"], at: ms(10)), in: group))
        let tags = try #require(try store.conversation()).tags.map { Array($0.utf8) }
        #expect(tags == [Array("\u{E9}".utf8)])
    }

    @Test("an older mark changes nothing after reading or deleting, and brings no deleted conversation back")
    func lateMarks() throws {
        let place = try TemporaryStore()
        try place.withStore { store throws in
            let old = ms(place.time.now.milliseconds - 1000)
            try store.record(Self.beginning)
            try store.record(Event(ConversationMarkedUnread(at: ms(old.milliseconds - 1)), in: group), read(nil))
            try store.record(Event(ConversationMarkedUnread(at: old), in: group))
            #expect(try store.read { try $0.unread(of: group).isMarkedUnread } == false)
            try store.record(Event(ConversationPinned(at: ms(1)), in: group), conversationDeleted())
            try store.record(Event(ConversationMarkedUnread(at: old), in: group))
            try store.record(Event(ConversationPinned(at: old), in: group))
            #expect(try store.list().isEmpty)
            try store.record(received("b", at: 2))
            #expect(try store.conversation()?.isPinned == false)
            #expect(try store.read { try $0.unread(of: group).isMarkedUnread } == false)
            let newer = ms(place.time.now.milliseconds + 1000)
            try store.record(conversationDeleted(), Event(ConversationMarkedUnread(at: newer), in: group))
            #expect(try store.list() == [group])
            #expect(try store.isConsistent())
        }
    }
}
