/// The kinds of strings that the log replaces by small numbers.
package enum SymbolSpace: UInt8, Sendable, CaseIterable {
    case conversation = 1
    case user = 2
    case contentType = 3
}

/// Gives strings their numbers while events are encoded.
protocol SymbolAssigner {
    mutating func number(of conversation: ConversationKey) throws -> UInt32
    mutating func number(of user: UserID) throws -> UInt32
    mutating func number(of contentType: ContentType) throws -> UInt32
}

/// Tells what numbers in records stand for.
package protocol SymbolResolver {
    func conversation(_ number: UInt32) throws -> ConversationKey
    func user(_ number: UInt32) throws -> UserID
    func contentType(_ number: UInt32) throws -> ContentType
}
