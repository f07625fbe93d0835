import Foundation
@_spi(Storage) import MessageStoreLog
import Testing

/// Every event type is declared once; these tests hold for each type in the catalogue, a new one included.
@Suite struct `Event declarations` {
    @Test func `the catalogue holds every type and payload file once, with a name and a number of its own`() throws {
        let types = EventCatalog.payloads.map { $0.declaration.type }
        let names = EventCatalog.payloads.map { $0.declaration.name.description }
        #expect(Set(types).count == types.count && Set(names).count == names.count)
        for payload in EventCatalog.payloads {
            #expect("\(payload)" == payload.declaration.name.description, "a type goes by the name of its payload")
            #expect(EventType(name: payload.declaration.name.description) == payload.declaration.type)
            let scope: EventScope? = payload is any ConversationPayload.Type ? .conversation : nil
            let other: EventScope? = payload is any AccountPayload.Type ? .account : nil
            let declared = payload.declaration.scope == .chatRoom ? .conversation : payload.declaration.scope
            #expect(scope ?? other ?? .any == declared && (scope == nil || other == nil), "\(payload)")
        }
        let missing = try Set(Self.declared().keys)
            .symmetricDifference(EventCatalog.payloads.map { $0.declaration.name.description })
        #expect(missing == [], "list them in Sources/MessageStoreLog/Schema/EventCatalog.swift")
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func format() throws -> String {
        try String(contentsOf: root.appendingPathComponent("Docs/Format.md"), encoding: .utf8)
    }

    /// The payloads that are declared, each with the folder of its file.
    private static func declared() throws -> [String: String] {
        let events = root.appendingPathComponent("Sources/MessageStoreLog/Events")
        let files = try #require(FileManager.default.enumerator(at: events, includingPropertiesForKeys: nil))
        var declared: [String: String] = [:]
        for case let file as URL in files where file.pathExtension == "swift" {
            for match in try String(contentsOf: file, encoding: .utf8).matches(of: #/struct (\w+): \w*Payload\b/#) {
                declared[String(match.1)] = file.deletingLastPathComponent().lastPathComponent
            }
        }
        declared["UnknownEvent"] = nil
        return declared
    }

    @Test func `a type has a number of its folder's range in the format`() throws {
        var ranges: [String: [ClosedRange<UInt16>]] = [:]
        for match in try Self.format().matches(of: #/\| 0x(\w+)–0x(\w+) \| `(\w+)` \|/#) {
            let bounds = try (#require(UInt16(match.1, radix: 16)), #require(UInt16(match.2, radix: 16)))
            ranges[String(match.3), default: []].append(bounds.0...bounds.1)
        }
        let folders = try Self.declared()
        for payload in EventCatalog.payloads {
            let folder = folders["\(payload)"] ?? ""
            #expect(
                ranges[folder, default: []].contains { $0.contains(payload.declaration.type.rawValue) },
                "\(payload) needs a number of the range of \(folder), under \"Event types\" in Docs/Format.md")
        }
    }

    @Test(
        "numbers and names of a type's fields are its own",
        arguments: EventCatalog.payloads.map { $0.declaration.type })
    func fields(type: EventType) {
        #expect(Set(type.fields.map(\.name)).count == type.fields.count)
        for part in [FieldDescription.Part.fields, .content] {
            var numbers: [UInt32] = []
            for field in type.fields where field.part == part {
                guard let number = field.number else {
                    Issue.record("\(type).\(field.name) has no number")
                    continue
                }
                let width: UInt32 = field.type.kind == .message || field.type.kind == .order ? 2 : 1
                numbers += number..<number + width
            }
            #expect(Set(numbers).count == numbers.count, "\(type): \(numbers)")
            #expect(numbers.allSatisfy { (part == .fields ? 3..<64 : 1..<64).contains($0) }, "\(type): \(numbers)")
        }
    }

    @Test(
        "the samples set every declared field of a type", arguments: EventCatalog.payloads.map { $0.declaration.type })
    func samples(type: EventType) {
        let samples = SampleEvents.all.filter { $0.type == type }
        let set = samples.reduce(into: Set<String>()) { set, event in
            set.formUnion(event.payload.fieldTexts.filter { $0.text != nil }.map(\.name))
        }
        #expect(
            set == Set(type.fields.map(\.name)),
            "set all fields in events of Sources/MessageStoreTestKit/Samples/SampleEvents*.swift")
    }

    @Test("the names, numbers and types of all fields are those of the format")
    func format() throws {
        let format = try Self.format()
        for payload in EventCatalog.payloads {
            let isThere = format.contains(Self.row(payload))
            #expect(isThere, "Docs/Format.md lacks the row\n\(Self.row(payload))")
        }
    }

    /// A new field of strings, bytes or pairs is personal unless its declaration names another class.
    @Test("E27, X14: the page on privacy names every personal field")
    func personal() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("Docs/Privacy.md"), encoding: .utf8)
        let page = text.split(separator: "\n").map(String.init)
        let rows = EventCatalog.payloads.compactMap { payload -> String? in
            let names = [FieldDescription.Part.fields, .content].map { part in
                let fields = payload.fieldDescriptions.filter { $0.part == part && $0.fieldClass == .personal }
                return fields.map(Self.names).joined(separator: ", ")
            }
            guard names != ["", ""] else { return nil }
            return "| \(payload.declaration.name) | " + names.map { $0.isEmpty ? "–" : $0 }.joined(separator: " | ")
                + " |"
        }
        for row in rows { #expect(page.contains(row), "Docs/Privacy.md lacks the row\n\(row)") }
        let start = try #require(page.firstIndex(of: "| event | fields | content |"))
        #expect(page[start...].dropFirst(2).prefix { $0.hasPrefix("|") }.count == rows.count)
    }

    private static func names(_ field: FieldDescription) -> String {
        let elements = field.elements.filter { $0.fieldClass == .personal }.map(\.name).joined(separator: ", ")
        return elements.isEmpty ? field.name : "\(field.name) (\(elements))"
    }

    /// A type as the table of the format has it.
    static func row(_ payload: any EventPayload.Type) -> String {
        let declaration = payload.declaration
        let number = String(declaration.type.rawValue, radix: 16, uppercase: true)
        let columns = [FieldDescription.Part.envelope, .fields, .content].map { part in
            let fields = declaration.type.fields.filter { $0.part == part }.map { field in
                if let number = field.number {
                    "\(number) \(field.name): \(field.type)"
                } else {
                    "\(field.name) (\(field.place?.rawValue ?? ""))"
                }
            }
            return fields.isEmpty ? "–" : fields.joined(separator: ", ")
        }
        return "| 0x\(number.count < 2 ? "0" : "")\(number) | \(declaration.name) | " + columns.joined(separator: " | ")
            + " |"
    }
}

/// The types that the lists named before each type declared its traits; a new type joins those that it declares.
@Suite struct `Traits of event types` {
    /// Every flag of a conversation is a choice that replaces the earlier one.
    private static let flags = Set(EventCatalog.conversationFlags.map { $0.declaration.type })

    static let expected: [(trait: EventTraits, types: Set<EventType>)] = [
        (
            .changesTimeline,
            [
                .messageReceived, .messageInsertedLocally, .messageSendQueued, .messageSent, .messageModified,
                .messageRecalled, .messagesDeleted, .messageDelivered, .messageReadByPeer, .messageStatusOverridden,
                .messageStatusFlagsSet, .attachmentStateChanged, .messageFiltered, .messageDuplicateSuppressed,
                .messageSnapshotReceived, .historyCleared, .conversationDeleted, .chatRoomLeft,
                .readReceiptRequested, .readReceiptSent,
            ]
        ),
        (
            .needsMessage,
            [
                .messageSent, .messageSendFailed, .messageSendRetried, .messageModified, .messageRecalled,
                .messagesDeleted, .messageDelivered, .messageReadByPeer, .messageSnapshotReceived,
                .pendingChangeUpdated,
            ]
        ),
        (
            .changesOneMessage,
            [
                .messageModified, .messageRecalled, .reactionAdded, .reactionRemoved, .messageMetadataChanged,
                .messagePinned, .messageStarred, .attachmentStateChanged, .messageStatusOverridden,
            ]
        ),
        (
            .holdsWords,
            [.messageModified, .messageFiltered, .attachmentStateChanged, .messageSnapshotReceived]
        ),
        (
            .shownBetweenMessages,
            [
                .conversationCreated, .conversationUpdated, .membersAdded, .membersRemoved, .memberInfoChanged,
                .memberMuted, .memberBlocked, .selfInvited, .selfKicked,
            ]
        ),
        (
            .readByPosition,
            [
                .messageReceived, .messageSendQueued, .messageInsertedLocally, .messageModified, .messageRecalled,
                .messageSnapshotReceived, .messageFiltered, .attachmentStateChanged, .conversationDraftChanged,
                .conversationFolderChanged, .sessionStateChanged,
            ]
        ),
        (
            .replacesEarlier,
            flags.union([
                .membersAdded, .membersRemoved, .selfInvited, .selfKicked, .memberInfoChanged, .memberMuted,
                .memberBlocked, .conversationCreated, .conversationUpdated, .conversationSnapshotReceived,
                .conversationMuted, .conversationTimerChanged, .profilesFetched, .teamInfoFetched,
            ])
        ),
        (
            .mergedByTime,
            flags.union([
                .conversationMuted, .conversationDraftChanged, .conversationTagged, .memberInfoChanged,
                .conversationRead, .conversationDeleted, .conversationSummaryReceived, .conversationFolderChanged,
                .messagePinned, .messageStarred, .conversationTimerChanged,
            ])
        ),
    ]

    @Test("the types with a trait are those that have it", arguments: 0..<8)
    func types(index: Int) {
        let (trait, types) = Self.expected[index]
        #expect(trait == EventTraits(rawValue: 1 << UInt16(index)) && Set.with(trait) == types)
        #expect(
            Set(EventType.known.map(\.type).filter { $0.has(trait) }) == types,
            "correct the types of the trait in `expected` of Tests/MessageStoreLogTests/EventDeclarationTests.swift")
    }

    @Test func `types of hosts have no trait`() {
        #expect(!EventType(rawValue: 0x8001).has(.holdsWords) && !EventType(rawValue: 0x7F).has(.mergedByTime))
    }
}
