/// Gives the strings of the numbers that records hold. It owns nothing, so that it can be copied for each field.
struct SymbolReader {
    private let table: Unmanaged<SymbolTable>
    private let kept: Unmanaged<KeptSymbols>?
    var types: EventTypes { known.types }

    /// - Parameters:
    ///   - table: Outlives the reader.
    ///   - kept: The strings found before, which outlive the reader; nil if few records are read.
    init(_ table: SymbolTable, _ kept: KeptSymbols? = nil) {
        self.table = .passUnretained(table)
        self.kept = kept.map { .passUnretained($0) }
    }

    /// The conversation of a number.
    func conversation(_ number: UInt32) throws -> ConversationKey {
        guard let kept else { return try known.conversation(number) }
        return try kept._withUnsafeGuaranteedRef { try $0.conversation(number, known).value }
    }

    /// The user of a number.
    func user(_ number: UInt32) throws -> UserID {
        guard let kept else { return try known.user(number) }
        return try kept._withUnsafeGuaranteedRef { try $0.user(number, known).value }
    }

    /// The content type of a number.
    func contentType(_ number: UInt32) throws -> ContentType {
        guard let kept else { return try known.contentType(number) }
        return try kept._withUnsafeGuaranteedRef { try $0.contentType(number, known).value }
    }

    private var known: SymbolTable { table.takeUnretainedValue() }
}

/// The strings that one pass over records met, which cost no lock when they are asked for again.
///
/// Through a pointer, to spare the exclusivity checks of class properties; not for two threads at once.
final class KeptSymbols {
    private struct Slots {
        var conversations = SymbolSlots<ConversationKey>()
        var users = SymbolSlots<UserID>()
        var contentTypes = SymbolSlots<ContentType>()
    }

    private let slots = UnsafeMutablePointer<Slots>.allocate(capacity: 1)

    init() { slots.initialize(to: Slots()) }

    deinit {
        slots.deinitialize(count: 1)
        slots.deallocate()
    }

    func conversation(_ number: UInt32, _ table: borrowing SymbolTable) throws -> KeptSymbol<ConversationKey> {
        try slots.pointee.conversations.symbol(of: number) { try table.conversation($0) }
    }

    func user(_ number: UInt32, _ table: borrowing SymbolTable) throws -> KeptSymbol<UserID> {
        try slots.pointee.users.symbol(of: number) { try table.user($0) }
    }

    func contentType(_ number: UInt32, _ table: borrowing SymbolTable) throws -> KeptSymbol<ContentType> {
        try slots.pointee.contentTypes.symbol(of: number) { try table.contentType($0) }
    }
}

/// A string that many records name: one reference is held, whatever the value is made of.
final class KeptSymbol<Value: Sendable>: Sendable {
    let number: UInt32
    let value: Value

    init(_ number: UInt32, _ value: Value) { (self.number, self.value) = (number, value) }
}

/// Symbols by number, each where the last bits of its number say; numbers are dense, so few share a place.
struct SymbolSlots<Value: Sendable> {
    private static var limit: Int { 1 << 16 }
    private var slots: [KeptSymbol<Value>?] = [nil]
    private var used = 0

    @inline(__always)
    mutating func symbol(of number: UInt32, _ find: (UInt32) throws -> Value) rethrows -> KeptSymbol<Value> {
        if let symbol = slots[place(of: number)], symbol.number == number { return symbol }
        let symbol = KeptSymbol(number, try find(number))
        insert(symbol)
        return symbol
    }

    private func place(of number: UInt32) -> Int { Int(number) & (slots.count - 1) }

    private mutating func insert(_ symbol: KeptSymbol<Value>) {
        if 2 * used >= slots.count, slots.count < Self.limit {
            let others = slots
            (slots, used) = ([KeptSymbol<Value>?](repeating: nil, count: 4 * others.count), 0)
            for case let other? in others { insert(other) }
        }
        if slots[place(of: symbol.number)] == nil { used += 1 }
        slots[place(of: symbol.number)] = symbol
    }
}
