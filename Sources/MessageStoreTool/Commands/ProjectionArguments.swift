internal import ArgumentParser

/// Which projections a command is about.
struct ProjectionArguments: ParsableArguments {
    @Option(help: "Only this projection; may be given more than once.")
    var projection: [String] = []

    /// The projections; nil for all.
    ///
    /// - Throws: ``ToolError`` where the tool does not have one of them.
    func chosen() throws -> Set<ProjectionID>? {
        guard !projection.isEmpty else { return nil }
        let names = (ProjectionID.builtIn + MessageStoreCommand.configuration.projections.map(\.declaration.id)).map(
            \.rawValue)
        if let name = projection.first(where: { !names.contains($0) }) {
            throw ToolError.usage("there is no projection \(name); there are \(names.joined(separator: ", "))")
        }
        return Set(projection.map { ProjectionID(rawValue: $0) })
    }
}
