/// The kinds of strings that the log replaces by small numbers.
package enum SymbolSpace: UInt8, Sendable, CaseIterable {
    case conversation = 1
    case user = 2
    case contentType = 3
}
