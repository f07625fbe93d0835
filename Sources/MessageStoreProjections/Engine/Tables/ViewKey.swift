@_spi(Storage) internal import MessageStoreLog

/// The key of a row: described as rows are, with big-endian numbers, so that keys sort as their parts do.
///
/// A part that is missing at the end of a key sorts before every other, so a key with an empty last part is where a
/// walk over all keys with the same beginning starts.
protocol ViewKey: Equatable, Sendable {
    /// A key to read into.
    init()

    /// Names the parts, in the order of their bytes.
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable)

    /// Whether the read key can be, beyond what the types of the parts say.
    var isPlausible: Bool { get }

    /// Whether to change the row of a stored key alone is to have no effect: no query shows it, or it says no more than
    /// that the event is in the log.
    static func isUnseen(_ key: RawSpan) -> Bool

    /// How many bytes at the beginning of a key, or of the beginning of one, stay clear in a sealed store; nil if keys
    /// hold neither words nor ids. Bytes that stay clear are never the beginning of others that do.
    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { get }

    /// A key of each form that keys of the type have; more than one where a part says which parts follow.
    static var forms: [Self] { get }
}

extension FixedWidthInteger {
    /// The bytes, most significant first, which sort as the numbers do.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
}

extension ViewKey {
    @inline(__always) var isPlausible: Bool { true }

    static func isUnseen(_ key: RawSpan) -> Bool { false }

    static var clearBytes: (@Sendable (UnsafeRawBufferPointer) -> Int)? { nil }

    static var forms: [Self] { [Self()] }

    /// Decodes a stored key; nil for bytes that are none.
    @inline(__always)
    init?(key bytes: RawSpan) {
        var key = Self()
        var reader = RowReader(bytes, isKey: true)
        key.describe(&reader)
        guard reader.isComplete, key.isPlausible else { return nil }
        self = key
    }

    /// Calls `body` with the key's bytes, which are on the stack.
    @inline(__always)
    func withBytes<Result>(_ body: (RawSpan) throws -> Result) rethrows -> Result {
        try withUnsafeTemporaryAllocation(byteCount: KeyWriter.capacity, alignment: 8) { storage in
            var writer = KeyWriter(storage)
            // Writing changes no part; going through the parts needs a key that can be changed.
            var key = self
            key.describe(&writer)
            return try body(writer.bytes)
        }
    }

    /// The key's bytes.
    var bytes: [UInt8] { withBytes { $0.copied } }

    /// The names and types of the parts.
    var layout: RowLayout {
        var layout = RowLayout()
        var key = self
        key.describe(&layout)
        return layout
    }

    /// The parts of a stored key, for people; nil for bytes that are none.
    static func texts(of bytes: RawSpan) -> [RowPartText]? {
        guard var key = Self(key: bytes) else { return nil }
        var collector = RowTexts()
        key.describe(&collector)
        return collector.texts
    }
}

/// Takes the parts of a key into a buffer.
struct KeyWriter: RowParts, ~Copyable, ~Escapable {
    /// More than the 511 bytes that a key may have in LMDB, which refuses keys cut here as it refuses longer ones.
    static let capacity = 1024

    private let storage: UnsafeMutableRawBufferPointer
    private var count = 0

    /// - Parameter storage: Of ``capacity`` bytes; outlives the writer.
    @inline(__always) @_lifetime(borrow storage)
    init(_ storage: UnsafeMutableRawBufferPointer) { self.storage = storage }

    /// The bytes written so far.
    var bytes: RawSpan {
        @inline(__always) @_lifetime(borrow self)
        get {
            _overrideLifetime(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[..<count])), borrowing: self)
        }
    }

    @inline(__always)
    mutating func part<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        let size = MemoryLayout<Value.Stored>.size
        guard count + size <= storage.count else { return }
        storage.storeBytes(of: value.stored.bigEndian, toByteOffset: count, as: Value.Stored.self)
        count += size
    }

    @inline(__always)
    mutating func bigEndian<Value: RowValue>(_ name: StaticString, _ value: inout Value, _ meaning: RowMeaning) {
        part(name, &value, meaning)
    }

    @inline(__always)
    mutating func bytes(_ name: StaticString, _ value: inout [UInt8], count size: Int?, _ meaning: RowMeaning) {
        value.withUnsafeBytes { bytes in
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(storage.count - count))
            UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: part)
            count += part.count
        }
    }

    @inline(__always)
    mutating func string(_ name: StaticString, _ value: inout String) {
        var bytes = Array(value.utf8)
        self.bytes(name, &bytes, count: nil, .plain)
    }

    mutating func field<Value>(
        _ number: UInt32, _ name: StaticString, _ value: inout Value, _ kind: RowField<Value>
    ) { preconditionFailure("keys have no fields") }

    @inline(__always)
    mutating func continues(_ hasMore: Bool) -> Bool { hasMore }
}

/// A number that the log's symbols, and the rows of the views, have in place of a name.
protocol SymbolNumber: RawRepresentable, Hashable, Comparable, Sendable, RowValue
where RawValue == UInt32, Stored == UInt32 {
    init(rawValue: UInt32)
}

extension SymbolNumber {
    /// The number of no name.
    @inline(__always) static var none: Self { Self(rawValue: 0) }

    var words: String { String(rawValue) }

    @inline(__always) static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// The number of a conversation, in the order in which the log first named them.
struct ConversationNumber: SymbolNumber {
    let rawValue: UInt32
    @inline(__always) init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension ConversationNumber: ViewKey {
    init() { self = .none }

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("conversation", &self, .conversation)
    }

    /// A key after all that begin with the conversation.
    var end: [UInt8] {
        rawValue == .max ? [UInt8](repeating: 0xFF, count: 20) : ConversationNumber(rawValue: rawValue + 1).bytes
    }
}

/// The number of a user, in the order in which the log first named them.
struct UserNumber: SymbolNumber, ViewKey {
    let rawValue: UInt32
    @inline(__always) init(rawValue: UInt32) { self.rawValue = rawValue }

    init() { self = .none }

    /// The number of this account, which is the first user that every log names.
    static let account = UserNumber(rawValue: 1)

    @inline(__always)
    mutating func describe(_ parts: inout some RowParts & ~Copyable & ~Escapable) {
        parts.part("user", &self, .user)
    }
}

extension RecordView {
    /// The number of the conversation that the event belongs to.
    @inline(__always) var conversationNumber: ConversationNumber { ConversationNumber(rawValue: conversation) }

    /// The number of who did it.
    @inline(__always) var actorNumber: UserNumber { UserNumber(rawValue: actor) }
}

extension RawSpan {
    /// The number of the conversation with which a key begins.
    @inline(__always) var conversation: ConversationNumber? {
        loadBigEndian(at: 0, as: UInt32.self).map { ConversationNumber(rawValue: $0) }
    }
}

extension SymbolTable {
    /// The number of a conversation that the log has named.
    func number(of conversation: ConversationKey) throws -> ConversationNumber? {
        try existingNumber(of: conversation).map { ConversationNumber(rawValue: $0) }
    }

    /// The number of a user that the log has named.
    func number(of user: UserID) throws -> UserNumber? {
        try existingNumber(of: user).map { UserNumber(rawValue: $0) }
    }

    /// The name of a conversation.
    func conversation(_ number: ConversationNumber) throws -> ConversationKey { try conversation(number.rawValue) }

    /// The name of a user.
    func user(_ number: UserNumber) throws -> UserID { try user(number.rawValue) }
}
