import MessageStore
import Testing

/// A payload that keeps what it was read from, which it should not; it must do no harm.
struct Keeping: EventPayload {
    var note: String
    /// What was kept last.
    nonisolated(unsafe) static var kept: (() throws -> String)?

    static let declaration = EventDeclaration("com.example.keeping", scope: .any)
    static let note = Field<String>(3, "note")

    init(note: String) { self.note = note }

    init(from fields: inout some FieldDecoder) throws {
        note = try fields.decode(Self.note)
        let copy = fields
        Self.kept = {
            var copy = copy
            return try copy.decode(Self.note)
        }
    }

    func encode(to fields: inout some FieldEncoder) throws { try fields.encode(note, for: Self.note) }
}

@Suite("Decoders that a host keeps")
struct KeptDecoderTests {
    @Test("a decoder that a payload keeps reads its own bytes, also when the store is closed and gone")
    func kept() throws {
        let note = String(repeating: "kept ", count: 2000)
        do {
            let place = try HostPlace()
            try place.withStore([Keeping.self]) { try $0.record(Event(any: Keeping(note: note))) }
            try place.withStore([Keeping.self]) { _ = try $0.events() }
        }
        #expect(try Keeping.kept?() == note)
    }
}
