@testable import MessageStore
import MessageStoreLMDB
import MessageStoreLog

/// A store with an event of every type, with every field set.
struct SampleStore {
    let place: ToolPlace
    /// The events, in the order of their positions.
    let events = SampleEvents.all

    /// Puts the events straight into the log, since some are only recorded in answer to others.
    init() throws {
        place = try ToolPlace()
        try MessageStore.open(place.store, account: "me", configuration: .ofTests).close()
        let key = try place.keys()?.log
        let log = try EventLog(
            path: place.store + "/log", configuration: .init(access: .readWrite, mapSize: 1 << 24, key: key))
        try log.symbols.enter(account: "me")
        for (number, event) in events.enumerated() {
            let now = Timestamp(milliseconds: 1_700_000_000_000 + Int64(number))
            try log.commit(try log.prepare([event], account: "me", now: now))
        }
        // The log is shown as it was recorded, with what its events erase.
        try log.noteErased(by: log.owed().compactMap(\.event))
    }
}
