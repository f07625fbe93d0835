internal import ArgumentParser

/// A range of the log.
struct RangeArguments: ParsableArguments {
    @Option(parsing: .unconditional, help: "The first event: \(Moment.help).")
    var from: Moment?

    @Option(parsing: .unconditional, help: "The last event: \(Moment.help).")
    var to: Moment?

    /// The first and the last position; the last is one less than the first where the range is empty.
    ///
    /// - Throws: ``ToolError`` where the log does not reach that far, or the last comes before the first.
    func positions(in store: MessageStore) throws -> (first: Position, last: Position) {
        let first = try from?.firstPosition(in: store) ?? Position(1)
        let last = try to?.position(in: store) ?? store.lastPosition()
        guard first.rawValue <= last.rawValue + 1 else { throw ToolError.usage("\(first) comes after \(last)") }
        return (first, last)
    }
}
