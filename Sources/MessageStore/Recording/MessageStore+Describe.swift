internal import MessageStoreLMDB
@_spi(Storage) internal import MessageStoreLog

extension MessageStore {
    /// Adds what another store's log says of hosts' types to this one's, which has no events yet.
    package func describe(_ descriptions: [EventDescription]) throws {
        let resources = try openedForWriting()
        try StoreError.translating {
            try writer.withLock { _ throws in
                guard resources.log.lastPosition == .origin else {
                    throw StoreError(.invalidArgument, "the store has events already", path: path)
                }
                try resources.log.describe(descriptions)
            }
        }
    }
}
