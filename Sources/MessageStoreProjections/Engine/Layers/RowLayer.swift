@_spi(Storage) internal import MessageStoreLog

/// The changed rows of every table up to a position: the write buffer, filling or frozen.
struct RowLayer: Sendable {
    private var trees: [RowTree]
    private var identities = IdentityRuns()
    /// The position of the layers below this one.
    let base: Position
    /// The position that the layer, on top of the ones below, is the fold of.
    var position: Position
    /// Bytes of memory that the rows take.
    private(set) var byteCount = 0

    /// An empty layer over the fold of the log up to `position`.
    init(position: Position, tables: Int) {
        trees = [RowTree](repeating: RowTree(), count: tables)
        base = position
        self.position = position
    }

    /// The rows of several layers of the same base and position.
    ///
    /// - Parameters:
    ///   - firsts: A bit for each table in which only the first layer's rows count.
    ///   - resolve: Answers the row of a key that several layers have.
    init(
        merging layers: [RowLayer], of tables: [ViewTable], firsts: UInt64,
        resolve: (ViewTable, RawSpan, [FoldShard.PartRow]) throws -> [UInt8]?
    ) rethrows {
        self.init(position: layers[0].base, tables: layers[0].trees.count)
        position = layers[0].position
        for (index, table) in tables.enumerated() {
            trees[index] =
                firsts & table.bit != 0
                ? layers[0].trees[index]
                : try RowTree(merging: layers.map { $0.trees[index] }) { try resolve(table, $0, $1) }
        }
        identities = IdentityRuns(joining: layers.map(\.identities))
        byteCount = trees.reduce(identities.count * IdentityRuns.bytesPerEntry) { $0 + $1.byteCount }
    }

    /// An empty layer over this one, but for the identities.
    ///
    /// - Parameter directory: The directory for files of identities; nil if they are not kept.
    func next(keepingIdentitiesIn directory: String?) throws -> RowLayer {
        var layer = RowLayer(position: position, tables: trees.count)
        guard let directory else { return layer }
        layer.identities = try identities.spilled(in: directory)
        layer.byteCount = identities.count * IdentityRuns.bytesPerEntry
        return layer
    }

    /// How many identities are held, those included that later ones replace.
    var identityCount: Int { identities.count }

    var rowCount: Int { trees.reduce(identities.count) { $0 + $1.count } }

    /// The rows of a table other than `identities` in key order.
    subscript(table: ViewTable) -> RowTree {
        precondition(table != .identities, "identities are not kept in a tree")
        return trees[table.index]
    }

    /// The rows of a part of a table in key order; the call puts rows of `identities` in order.
    func rows(of table: ViewTable, _ part: TablePart) -> RowTree {
        part.range.map(identities) ?? self[table]
    }

    /// The identities whose keys begin with a number of a range, in key order.
    func identities(_ range: ClosedRange<UInt64>) -> RowTree {
        var tree = RowTree()
        addIdentities(range, to: &tree)
        return tree
    }

    /// Calls `body` with the keys of all identities, in no order; of some more than once.
    func forEachIdentity(_ body: (IdentityKey) -> Void) { identities.forEachKey(body) }

    /// Sets the identities whose keys begin with a number of a range in a tree.
    func addIdentities(_ range: ClosedRange<UInt64>, to tree: inout RowTree) { identities.add(range, to: &tree) }

    /// The rows of `identities` in key order; costs a merge of what is held.
    var sortedIdentities: IdentityRun { identities.sorted() }

    /// Calls `body` with keys of a table in order, among them all whose rows differ from the rows of a layer from which
    /// this one came, or that came from this one.
    func forEachKey(
        of table: ViewTable, notSharedWith other: RowLayer, _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        guard table == .identities else {
            return try trees[table.index].forEachKey(notSharedWith: other.trees[table.index], body)
        }
        var bytes = ByteWriter(capacity: 16)
        for key in identities.keys(notSharedWith: other.identities) {
            bytes.removeAll()
            key.write(to: &bytes)
            try bytes.bytes.withUnsafeBytes(body)
        }
    }

    /// Whether a table other than `identities` has no rows here, asked for each message.
    func isEmpty(_ table: ViewTable) -> Bool {
        precondition(table != .identities, "identities are not kept in a tree")
        return trees[table.index].isEmpty
    }

    func lookup(_ table: ViewTable, _ key: UnsafeRawBufferPointer) -> RowTree.Lookup {
        guard table == .identities else { return trees[table.index].lookup(key) }
        guard let key = IdentityKey(RawSpan(_unsafeBytes: key)), let position = identities.lookup(key) else {
            return .absent
        }
        return .found(position)
    }

    /// Sets a row of a table other than `identities`, whose rows only ``setIdentity(_:_:isNew:)`` sets; nil deletes it.
    mutating func set(_ table: ViewTable, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer?) {
        precondition(table != .identities, "identities are not kept in a tree")
        byteCount += trees[table.index].set(key, value)
    }

    /// Enters an identity.
    ///
    /// - Parameter isNew: Whether no row of the key is below the layer; false also where that is not known.
    mutating func setIdentity(_ key: IdentityKey, _ position: Position, isNew: Bool = false) {
        identities.set(key, position.rawValue, isNew: isNew)
        byteCount += IdentityRuns.bytesPerEntry
    }
}

extension RowLayer {
    /// Checks the rows of every table and that their bytes are counted; costs a step for each row.
    func checkInvariants() throws {
        try BrokenInvariant.check(base <= position, "a layer at \(position) has the base \(base)")
        for tree in trees { try tree.checkInvariants() }
        try BrokenInvariant.check(trees[ViewTable.identities.index].isEmpty, "identities are kept in a tree")
        try identities.checkInvariants()
        let bytes = trees.reduce(identities.count * IdentityRuns.bytesPerEntry) { $0 + $1.byteCount }
        try BrokenInvariant.check(bytes == byteCount, "rows take \(bytes) bytes, of which \(byteCount) are counted")
    }
}
