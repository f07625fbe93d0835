@_spi(Storage) package import MessageStoreLog

extension Views {
    /// The verdict in force on a message: the filter's last, else what its visibility list says.
    package borrowing func verdict(on local: LocalMessageID) throws -> FilterVerdict {
        guard let record = try snapshot.log.record(at: Position(local.rawValue)) else { return .keep }
        let state = try snapshot.messageState(of: local) ?? MessageState()
        switch state.verdict {
        case .none: return record.flags.contains(.isDirectedAtOthers) ? .hide : .keep
        case .keep: return .keep
        case .hide: return .hide
        case .replace:
            let verdict = try snapshot.record(at: Position(state.verdictPosition), namedBy: .messageStates)
            return .replace(try RecordDecoder(symbols: snapshot.symbols).content(of: verdict))
        }
    }
}
