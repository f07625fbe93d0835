import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog

/// A host's type in two versions; the second reads a user where the first had a string.
private struct Assigned1: ConversationPayload {
    var assignee: String
    var note: String?

    static let declaration = EventDeclaration("com.example.assigned", scope: .conversation)
    enum Fields {
        static let assignee = Field<String>(3, "assignee")
        static let note = ContentField<String?>(1, "note")
    }
}

private struct Assigned2: ConversationPayload {
    var assignee: UserID
    var words: UInt32
    var note: String?

    static let declaration = EventDeclaration("com.example.assigned", version: 2, scope: .conversation)
    enum Fields {
        static let assignee = Field<UserID>(4, "assignee")
        static let words = Field<UInt32>(5, "words")
    }
}

extension Assigned1 {
    init(from fields: inout some FieldDecoder) throws {
        self.init(assignee: try fields.decode(Fields.assignee), note: try fields.decode(Fields.note))
    }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(assignee, for: Fields.assignee)
        try fields.encode(note, for: Fields.note)
    }
}

extension Assigned2 {
    init(upcasting fields: inout some FieldDecoder, from version: UInt8) throws {
        let old = try Assigned1(from: &fields)
        // What is made of content is not for folds, which must not see it.
        self.init(
            assignee: UserID(old.assignee), words: UInt32(old.note?.split(separator: " ").count ?? 0), note: old.note)
    }
    init(from fields: inout some FieldDecoder) throws {
        self.init(
            assignee: try fields.decode(Fields.assignee), words: try fields.decode(Fields.words),
            note: try fields.decode(Assigned1.Fields.note))
    }
    func encode(to fields: inout some FieldEncoder) throws {
        try fields.encode(assignee, for: Fields.assignee)
        try fields.encode(words, for: Fields.words)
        try fields.encode(note, for: Assigned1.Fields.note)
    }
}

@Suite("The log of a host's events")
struct HostEventLogTests {
    private static let event = Event(
        Assigned1(assignee: "alice", note: "two words"), in: .group("g"), id: "e1", origin: .live, device: "d1")

    /// Lends a log that is opened with some types, as often as there are lists of them.
    private func withLogs(_ types: [[any EventPayload.Type]], _ body: (Int, LogFixture) throws -> Void) throws {
        try withTemporaryDirectory { path in
            for (index, types) in types.enumerated() {
                let log = try EventLog(
                    path: path, configuration: .ofTests(access: index == 0 ? .create : .readWrite, mapSize: 1 << 24),
                    types: try EventTypes(types))
                if index == 0 { try log.symbols.enter(account: LogFixture.account) }
                try body(index, LogFixture(log: log))
            }
        }
    }

    @Test("a record of an earlier version is given to folds as the current one would have written it, without content")
    func lifted() throws {
        var first: [UInt8]?
        try withLogs([[Assigned1.self], [Assigned2.self], []]) { index, fixture throws in
            if index == 0 { try fixture.append([AppendTests.pinned, Self.event]) }
            let decoder = RecordDecoder(symbols: fixture.log.symbols)
            let snapshot = try fixture.log.snapshot()
            guard let pinned = try snapshot.record(at: Position(1)), let record = try snapshot.record(at: Position(2))
            else { throw StoreError(.notFound, "nothing was recorded") }
            let (unneeded, bytes) = (try decoder.lifted(pinned), try decoder.lifted(record))
            #expect(unneeded == nil)
            // It is current in the one log, and not registered in the other.
            #expect((bytes != nil) == (index == 1))
            guard let bytes, let view = RecordView(bytes.span.bytes) else { return }
            try expectCurrent(view, decoder, fixture.log.symbols)
            let (recordedTime, conversation) = (record.recordedTime, record.conversation)
            let isSame = view.recordedTime == recordedTime && view.conversation == conversation
            #expect(isSame)
            // It depends on the record alone: others that are recorded later change nothing.
            try fixture.append([Event(ProfileInvalidated(["alice"]))])
            let again = try decoder.lifted(record)
            #expect(again == bytes)
            first = bytes
        }
        #expect(first != nil)
    }

    private func expectCurrent(_ view: RecordView, _ decoder: RecordDecoder, _ symbols: SymbolTable) throws {
        let envelope = (view.isIntact(at: Position(2)), view.schemaVersion, view.origin, view.commitIndex)
        #expect(envelope == (true, 2, .live, 1))
        let values = (
            try FieldRow.value(of: Assigned2.Fields.assignee, in: view, symbols),
            try FieldRow.value(of: Assigned2.Fields.words, in: view, symbols)
        )
        #expect(values == ("alice", 0), "folds do not see what content says")
        let (count, event, again) = (view.content.byteCount, try decoder.event(from: view), try decoder.lifted(view))
        #expect(count == 0 && event.id == "e1" && event.device == "d1" && again == nil)
    }

    @Test("without the host's code the fields are shown by the description of the version that wrote them")
    func texts() throws {
        let payloads: [any EventPayload] = [
            Assigned1(assignee: "alice", note: "请尽快"), Assigned2(assignee: "dan", words: 3, note: nil),
        ]
        let texts = try payloads.map { payload in
            let types = try EventTypes([Swift.type(of: payload)])
            let parts = try types.parts(ofHosts: Event(any: payload, in: .group("g")))
            let unknown = UnknownEvent(
                type: payload.eventType, schemaVersion: payload.schemaVersion, fields: parts.fields.bytes,
                content: parts.content.bytes)
            let description = EventDescription(try #require(types[payload.eventType]))
            return description.fieldTexts(of: unknown).map { "\($0.name)=\($0.text ?? "-")" }
        }
        #expect(texts == [["assignee=alice", "note=请尽快"], ["assignee=dan", "words=3", "note=-"]])
    }

    @Test("a description stands beside the symbols and gives them no other numbers")
    func symbols() throws {
        var numbers: [[UInt32]] = []
        for types in [[], [Assigned1.self]] as [[any EventPayload.Type]] {
            try withLogs([types, types]) { _, fixture throws in
                try fixture.append((0..<3).map { Event(ConversationPinned(), in: .group("g\($0)")) })
                try fixture.append([
                    Event(ProfileInvalidated(["u1", "u2"])),
                    Event(
                        MessageReceived(
                            serverID: ServerMessageID("s"), sender: "u3", sentTime: SampleEvents.time,
                            content: .text("t")), in: .group("g3")),
                ])
                numbers.append(try fixture.scan { $0.conversation } + (try fixture.scan { $0.contentType }))
            }
        }
        #expect(numbers[0] == numbers[2] && numbers[1] == numbers[3])
    }

    @Test("I10: a damaged description is a typed error, and reading events without it goes on")
    func damaged() throws {
        try withLogs([[Assigned1.self], []]) { index, fixture throws in
            if index == 0 { try fixture.append([Self.event]) }
            guard index == 1 else { return }
            let type = EventType(Assigned1.self).rawValue
            let key: [UInt8] = [4, 0, UInt8(type >> 8), UInt8(truncatingIfNeeded: type), 1]
            let log = fixture.log
            try log.environment.write { transaction in
                var bytes = try #require(
                    try transaction.value(for: key.span.bytes, in: log.storage.tables.names)?.copied)
                bytes[9] ^= 1
                try transaction.put(bytes.span.bytes, for: key.span.bytes, in: log.storage.tables.names)
            }
            #expect(storeError { try log.eventDescriptions() }?.code == .logDamaged)
            #expect((try fixture.event(at: 1)?.payload as? UnknownEvent)?.type == EventType(Assigned1.self))
        }
    }

    @Test("I10: a record of a registered type whose fields or content cannot be read is a typed error")
    func unreadable() throws {
        let type = EventType(Assigned1.self)
        let broken = [
            UnknownEvent(type: type), UnknownEvent(type: type, fields: [0x1A, 1, 0x61], content: [0x0A]),
        ]
        try withLogs([[], [Assigned2.self]]) { index, fixture throws in
            if index == 0 { try fixture.append(broken.map { Event(any: $0, in: .group("g")) }) }
            guard index == 1 else { return }
            #expect((try fixture.event(at: 1)?.payload as? Assigned2)?.assignee == "")
            let error = storeError { try fixture.event(at: 2) }
            #expect(error?.code == .recordDamaged && error?.position == Position(2))
            #expect(error?.message == "com.example.assigned has broken content")
        }
    }
}
