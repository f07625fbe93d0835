extension ProjectionDeclaration {
    /// Checks a host's declaration.
    ///
    /// - Parameter registered: The declarations of the library and of projections that were registered before.
    /// - Throws: ``StoreError`` with code `invalidArgument`, which names the projection and what is wrong with it.
    func check(after registered: [ProjectionDeclaration]) throws {
        let name = id.rawValue
        guard name.isReverseDNS else {
            throw invalid("is not named in reverse-DNS notation, such as com.example.starred")
        }
        guard !registered.contains(where: { $0.id == id }) else { throw invalid("is registered twice") }
        for read in reads where !registered.contains(where: { $0.id == read }) {
            throw invalid("reads \(read), which is not registered before it")
        }
        guard tables.count > 1 else { throw invalid("has no tables") }
        var names: Set<String> = []
        for table in tables {
            let own = table.name.dropFirst(name.utf8.count + 1)
            guard table.name.hasPrefix(name + "/"), (1...64).contains(own.utf8.count),
                own.utf8.allSatisfy(Self.isAllowed)
            else { throw invalid("has a table \(table.name), which is not named after it") }
            guard names.insert(table.name).inserted else { throw invalid("has the table \(table.name) twice") }
            if let problem = table.description?.problem { throw invalid("has a table \(table.name) that \(problem)") }
        }
        let used = registered.reduce(0) { $0 + $1.tables.count }
        guard used + tables.count <= ViewTable.maximumCount, registered.count < 64 else {
            throw invalid("has more tables than there is room for: \(ViewTable.maximumCount - used)")
        }
    }

    private func invalid(_ problem: String) -> StoreError {
        StoreError(.invalidArgument, "the projection \(id) \(problem)")
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
    }
}
