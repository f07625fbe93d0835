import MessageStore
import MessageStoreSearch
import MessageStoreWorkload

/// A store that one process writes with an index, while another one searches it.
enum SearchSharing {
    nonisolated(unsafe) private static var stores: [String: MessageStore] = [:]
    nonisolated(unsafe) private static var steps = 0

    /// Records, indexes, and now and then erases and compacts; answers the last position. The store stays open.
    static func grow(_ path: String) throws -> String {
        let store = try stores[path] ?? SearchTexts.open(path)
        stores[path] = store
        let last = Int(try store.lastPosition().rawValue)
        steps += 1
        var random = SplitMix64(seed: UInt64(last))
        try store.record((0..<60).map { SearchTexts.message(last + $0, &random) })
        if steps.isMultiple(of: 2) { try Searching.catchUp(store) }
        if steps.isMultiple(of: 5) { try Searching.eraseSecrets(store) }
        if steps.isMultiple(of: 6) { try store.compact() }
        return "\(try store.lastPosition())"
    }

    /// Searches with the other process's index, or without one; answers its position, and the hits of each search.
    static func read(_ path: String, isIndexed: Bool) throws -> String {
        var configuration = MessageStore.Configuration.ofTests
        if isIndexed { configuration.laggingProjections = [SearchIndex()] }
        let store = try stores[path] ?? MessageStore.openReadOnly(path, configuration: configuration)
        stores[path] = store
        let answers = try SearchTexts.queries.map { query in
            let answer = try SearchTexts.answer(store, query)
            return answer.isComplete ? answer.hits.map { "\($0)" }.joined(separator: " ") : "not complete"
        }
        let position = isIndexed ? "\(try store.position(of: SearchIndex.id))" : "none"
        return ([position] + answers).joined(separator: "\t")
    }
}
