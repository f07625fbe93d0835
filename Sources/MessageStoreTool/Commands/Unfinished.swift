/// Erasures that were recorded and are not finished when a command ends.
enum Unfinished {
    static let words = "recorded, not finished: open the store for writing again, or run `messagestore compact`"

    /// Runs `body`; if that records an erasure and cannot finish it, says so and closes the store.
    static func closing<Result>(_ store: MessageStore, _ json: Bool, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as StoreError where error.code == .erasureUnfinished {
            // A disk that is full may fail this as well.
            try? store.close()
            if json { try JSON.print(["event": error.position?.rawValue, "done": false] as JSONObject) }
            throw error
        }
    }

    /// Closes a store in which a command may have recorded events that erase.
    ///
    /// - Throws: ``ToolError`` if content that they erase is not erased.
    static func close(_ store: MessageStore) throws {
        let isOwed = try store.owesErasures()
        do { try store.close() } catch  where isOwed {}
        if isOwed { throw ToolError.store(words) }
    }
}
