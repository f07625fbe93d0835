package import MessageStoreShipping

extension Carrier {
    /// All names that begin with a prefix, ascending, whoever gave them.
    package func all(_ prefix: String) async throws -> [String] {
        var names: [String] = []
        while true {
            let next = try await list(prefix, after: names.last)
            if next.isEmpty { return names }
            names += next
        }
    }
}
