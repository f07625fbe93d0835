/// Gives the strings of the numbers that records hold. It owns nothing, so that it can be copied for each field.
struct SymbolReader {
    /// Knows no number, for records that hold none.
    static var none: SymbolReader { SymbolReader(table: nil, kept: nil) }

    private let table: Unmanaged<SymbolTable>?
    private let kept: Unmanaged<KeptSymbols>?
    var types: EventTypes { table?.takeUnretainedValue().types ?? .builtIn }

    private init(table: SymbolTable?, kept: KeptSymbols?) {
        self.table = table.map { .passUnretained($0) }
        self.kept = kept.map { .passUnretained($0) }
    }

    /// - Parameters:
    ///   - table: Outlives the reader.
    ///   - kept: The strings found before, which outlive the reader; nil where few records are read.
    init(_ table: SymbolTable, _ kept: KeptSymbols? = nil) { self.init(table: table, kept: kept) }

    /// The conversation of a number.
    func conversation(_ number: UInt32) throws -> ConversationKey {
        guard let kept else { return try known.conversation(number) }
        return try kept._withUnsafeGuaranteedRef {
            try $0.conversations.pointee.value(of: number) { try known.conversation($0) }
        }
    }

    /// The user of a number.
    func user(_ number: UInt32) throws -> UserID {
        guard let kept else { return try known.user(number) }
        return try kept._withUnsafeGuaranteedRef { try $0.users.pointee.value(of: number) { try known.user($0) } }
    }

    /// The content type of a number.
    func contentType(_ number: UInt32) throws -> ContentType {
        guard let kept else { return try known.contentType(number) }
        return try kept._withUnsafeGuaranteedRef {
            try $0.contentTypes.pointee.value(of: number) { try known.contentType($0) }
        }
    }

    private var known: SymbolTable {
        get throws {
            guard let table else { throw FieldError.unreadable }
            return table.takeUnretainedValue()
        }
    }
}

/// The strings that one pass over records met, which cost no lock when they are asked for again.
///
/// Through pointers, to spare the exclusivity checks of class properties; not for two threads at once.
final class KeptSymbols {
    let conversations = UnsafeMutablePointer<SymbolSlots<ConversationKey>>.allocate(capacity: 1)
    let users = UnsafeMutablePointer<SymbolSlots<UserID>>.allocate(capacity: 1)
    let contentTypes = UnsafeMutablePointer<SymbolSlots<ContentType>>.allocate(capacity: 1)

    init() {
        conversations.initialize(to: SymbolSlots())
        users.initialize(to: SymbolSlots())
        contentTypes.initialize(to: SymbolSlots())
    }

    deinit {
        Self.free(conversations)
        Self.free(users)
        Self.free(contentTypes)
    }

    private static func free<Value>(_ slots: UnsafeMutablePointer<SymbolSlots<Value>>) {
        slots.deinitialize(count: 1)
        slots.deallocate()
    }
}

/// Values by number, each where the last bits of its number say; numbers are dense, so few share a place.
struct SymbolSlots<Value> {
    private struct Slot {
        var number: UInt32
        var value: Value
    }

    private static var limit: Int { 1 << 16 }
    private var slots: [Slot?] = [nil]
    private var used = 0

    mutating func value(of number: UInt32, _ find: (UInt32) throws -> Value) rethrows -> Value {
        if let slot = slots[place(of: number)], slot.number == number { return slot.value }
        let value = try find(number)
        insert(Slot(number: number, value: value))
        return value
    }

    private func place(of number: UInt32) -> Int { Int(number) & (slots.count - 1) }

    private mutating func insert(_ slot: Slot) {
        if 2 * used >= slots.count, slots.count < Self.limit {
            let others = slots
            (slots, used) = ([Slot?](repeating: nil, count: 4 * others.count), 0)
            for case let other? in others { insert(other) }
        }
        if slots[place(of: slot.number)] == nil { used += 1 }
        slots[place(of: slot.number)] = slot
    }
}
