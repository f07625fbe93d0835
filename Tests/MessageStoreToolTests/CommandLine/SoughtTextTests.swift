import Foundation
import MessageStore
import MessageStoreWorkload
import Testing

@testable import MessageStoreTool

@Suite("messagestore log --grep, against all values as text", .timeLimit(.minutes(30)))
struct SoughtTextTests {
    private static let texts = [
        "Straße und KELVIN \u{212A}", "café au lait", "CAFE\u{301} noir", "Привет, МИР", "приве\u{301}т", "你好，世界",
        "안녕하세요",
        "\u{1112}\u{1161}\u{11AB}\u{1100}\u{1173}\u{11AF}", "İstanbul ılık", "ΟΔΟΣ οδός Σίσυφος", "one\r\ntwo\nthree",
        "a;b\u{37E}c",
        "x\u{1FEF}y", "ANGSTROM \u{212B} Å a\u{30A}", "ﬁn ǅ", "👨‍👩‍👧 und 👍🏽", "zalgo e\u{301}\u{323} ẹ\u{301}",
        "tab\tnul\u{0}end",
        "2023-11-14 22:13", "17 bytes true false", "", "\u{FFFD} broken", "ﾊﾟ ｶﾞ パ", "नमस्ते", "שלום عربى", "a=b \"c\" 'd'",
    ]
    private static let fixed = [
        "", "k", "\u{212A}", "ss", "ß", "é", "e\u{301}", "E\u{301}", "\u{301}", "e", "привет", "МИР", "и", "好", "한",
        "\u{1112}\u{1161}\u{11AB}",
        "\u{1161}", "i\u{307}", "İ", "ı", "σ", "ς", "Σ", "ΟΔΟΣ", "\r", "\n", "\r\n", ";", "\u{37E}", "`", "å",
        "\u{212B}", "ﬁ", "ǆ", "👨",
        "👨‍👩‍👧", "👍", "\u{1F3FD}", "\u{323}", "ẹ", "\u{0}", "\u{FFFD}", "ハ", "パ", "न", "स्त", "true", "als", "unknown",
        "bytes", "3 bytes",
        "1", "12", "2023", "2023-11-14t", ":13:2", "14T22", "z", ".000", "-", "live", "history", "group:", "RECEIVED",
        "message", "text", "g",
        "bob", "БОБ", "zoë", "zoe\u{308}", "ZOË", "m1", "t:", ",", " ", "  ", "=", "none", "unread",
    ]

    @Test("the same events for 400 needles: ids, names, accents, scripts, times, numbers and words")
    func needles() throws {
        let place = try ToolPlace()
        try place.record(Self.events) { $0.now = { Timestamp(milliseconds: 1_700_000_000_000) } }
        let store = try MessageStore.openReadOnly(place.store, configuration: .ofTests)
        let events = try store.events()
        let hosts = HostEvents(try store.eventDescriptions())
        let shown = events.map { event in
            EventColumns(event, hosts, hasContent: true).columns.compactMap { $0.text?.lowercased() }
        }
        var random = SplitMix64(seed: 29)
        let needles = Self.fixed + (0..<320).map { _ in Self.needle(in: shown, &random) }
        var hits = 0
        for needle in needles {
            let sought = SoughtText(needle)
            let found = events.map { sought.isIn($0, hosts) }
            let expected = shown.map { texts in texts.contains { Self.text($0, holds: needle.lowercased()) } }
            #expect(found == expected, "\(needle.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())")
            hits += found.count { $0 }
        }
        #expect(events.count == Self.events.count && hits > needles.count)
    }

    /// Compares characters at each place.
    private static func text(_ text: String, holds needle: String) -> Bool {
        needle.isEmpty || text.indices.contains { text[$0...].starts(with: needle) }
    }

    private static var events: [Event] {
        let names = ["bob", "БОБ", "zoë", "zoe\u{308}", "Ångström", "user17"]
        let messages = texts.enumerated().map { index, text in
            let content = MessageContent(
                type: index % 5 == 0 ? "x.Ünlü" : .text, text: index % 7 == 6 ? nil : text,
                data: index % 7 == 6 ? [UInt8](text.utf8) : [], attributes: index % 9 == 8 ? [UInt8(index)] : [])
            return Event(
                MessageReceived(
                    serverID: ServerMessageID("m\(index)\(index % 4 == 0 ? "é" : "")"),
                    sender: UserID(names[index % names.count]),
                    sentTime: index % 6 == 5
                        ? .unknown : Timestamp(milliseconds: 1_700_000_000_000 - Int64(index) * 977),
                    content: content, policy: index % 3 == 0 ? .standard : .silent,
                    context: MessageContext(
                        mentions: index % 8 == 7 ? ["БОБ"] : [], pushText: index % 4 == 3 ? "Пуш" : nil),
                    senderProfile: index % 5 == 4 ? SenderProfile(name: "Zoë \(index)") : nil),
                in: index % 2 == 0 ? .group("g#ü\\") : .single(names[index % names.count]),
                id: index % 10 == 9 ? EventID("é\(index)") : nil, origin: index % 3 == 1 ? .history : .live,
                device: index % 11 == 10 ? "Gerät" : nil)
        }
        return messages + [
            Event(ConversationUpdated(ConversationFields(name: "Κήπος é")), in: .group("g")),
            Event(MembersAdded(["БОБ", "zoë"], kind: .joined), in: .group("g")),
            Event(ProfilesFetched([Profile(id: "zoë", name: "ZOË")])),
        ]
    }

    /// A few characters of what an event shows, in another case or form.
    private static func needle(in shown: [[String]], _ random: inout SplitMix64) -> String {
        let texts = shown[random.nextIndex(shown.count)]
        let text = texts[random.nextIndex(texts.count)]
        let start = random.nextIndex(max(text.count, 1))
        let part = String(text.dropFirst(start).prefix(1 + random.nextIndex(6)))
        switch random.nextIndex(6) {
        case 0: return part.uppercased()
        case 1: return part.decomposedStringWithCanonicalMapping
        case 2: return part.precomposedStringWithCanonicalMapping.uppercased()
        case 3: return part + "q"
        default: return part
        }
    }
}
