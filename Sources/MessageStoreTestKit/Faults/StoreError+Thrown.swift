package import MessageStore

/// The ``StoreError`` that `body` throws, or nil.
package func storeError<Result>(_ body: () throws -> Result) -> StoreError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? StoreError
    }
}
