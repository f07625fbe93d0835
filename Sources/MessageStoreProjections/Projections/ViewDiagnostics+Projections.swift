extension ViewDiagnostics {
    /// Every projection that has rows or is registered, in the order in which events pass through them; those that are
    /// not registered follow by name.
    ///
    /// Costs a look at the checkpoint.
    ///
    /// - Throws: `StoreError`.
    public static func projections(in views: borrowing Views) throws -> [ProjectionStatus] {
        let catalog = views.snapshot.plan.catalog
        let stored = try views.snapshot.storedCheckpoint()?.projections ?? [:]
        let reached = views.snapshot.rebuild.current?.reached ?? .origin
        let registered = catalog.entries.indices.map { index in
            let declaration = catalog.entries[index].declaration
            let isCurrent = views.snapshot.plan.folded.contains(index)
            return ProjectionStatus(
                id: declaration.id, version: declaration.version, state: isCurrent ? .current : .rebuilding,
                position: isCurrent ? views.snapshot.position : reached)
        }
        let others = stored.filter { catalog.index(of: $0.key) == nil }.map { id, part in
            ProjectionStatus(id: id, version: part.version, state: .unregistered, position: part.position)
        }
        return registered + others.ordered { $0.id.rawValue < $1.id.rawValue }
    }
}
