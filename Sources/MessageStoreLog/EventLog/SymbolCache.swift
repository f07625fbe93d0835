/// A value that the log interns.
protocol Symbol: Equatable, Sendable {
    static var space: SymbolSpace { get }
    /// The part of the cache that holds values of this kind.
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<Self>) -> Result
    ) -> Result
    var symbolBytes: [UInt8] { get }
    /// A hash of the bytes, stable within a process.
    var symbolHash: UInt64 { get }
    init?(symbolBytes: [UInt8])
}

/// Numbers and values of one kind of symbol, both ways.
struct SymbolCache<Value: Symbol>: Sendable {
    private var numbers: [UInt64: (value: Value, number: UInt32)] = [:]
    private var values: [UInt32: Value] = [:]

    func number(of value: Value, hash: UInt64) -> UInt32? {
        guard let known = numbers[hash], known.value == value else { return nil }
        return known.number
    }

    func value(of number: UInt32) -> Value? { values[number] }

    /// Where two values share a hash, the first keeps its place and the other is looked up in the log.
    mutating func insert(_ value: Value, hash: UInt64, number: UInt32) {
        if values.count >= SymbolTable.cacheLimit {
            numbers.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
        }
        values[number] = value
        if numbers[hash] == nil { numbers[hash] = (value, number) }
    }
}

extension ConversationKey: Symbol {
    static var space: SymbolSpace { .conversation }
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<ConversationKey>) -> Result
    ) -> Result { body(&cache.conversations) }
    var symbolHash: UInt64 {
        let hash = XXH64.hash(id, seed: UInt64(kind.rawValue))
        return channel.map { XXH64.hash($0, seed: hash) } ?? hash
    }
}

extension Symbol where Self: StringIdentifier {
    var symbolBytes: [UInt8] { Array(rawValue.utf8) }
    var symbolHash: UInt64 { XXH64.hash(rawValue) }
    init?(symbolBytes: [UInt8]) { self.init(rawValue: String(decoding: symbolBytes, as: UTF8.self)) }
}

extension UserID: Symbol {
    static var space: SymbolSpace { .user }
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<UserID>) -> Result
    ) -> Result { body(&cache.users) }
}

extension ContentType: Symbol {
    static var space: SymbolSpace { .contentType }
    static func withCache<Result>(
        _ cache: inout SymbolTable.Cache, _ body: (inout SymbolCache<ContentType>) -> Result
    ) -> Result { body(&cache.contentTypes) }
}
