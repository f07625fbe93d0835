internal import ArgumentParser

struct Projections: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the projections of a store: version, state, position, digest.",
        discussion: """
            A projection that a host registered, and this tool does not know, is shown with the position at which its \
            rows were left; it cannot be folded here. Its rows can be looked at with `rows`.
            """)

    @OptionGroup var views: ViewArguments

    func run() throws {
        let (projections, digests) = try views.read {
            (try ViewDiagnostics.projections(in: $0), try $0.snapshot.digests())
        }
        var table = TextTable(columns: [
            .init(header: "PROJECTION", minimumWidth: 12), .right("VERSION"), .init(header: "STATE", minimumWidth: 8),
            .right("POSITION"), "DIGEST",
        ])
        for projection in projections {
            let (state, digest) = ("\(projection.state)", digests[projection.id].map { $0.hexadecimal() })
            guard !views.arguments.json else {
                try JSON.print(
                    [
                        "projection": projection.id.rawValue, "version": projection.version, "state": state,
                        "position": projection.position, "digest": digest,
                    ] as JSONObject)
                continue
            }
            table.append([
                projection.id.rawValue, String(projection.version), state,
                NumberFormat.count(projection.position.rawValue), digest ?? "",
            ])
        }
        if !views.arguments.json { table.print() }
    }
}

struct Rows: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show rows of a projection's table in words, by key.",
        discussion: "Without a table, the names of the tables are listed.")

    @OptionGroup var views: ViewArguments

    @Argument(help: "The table; a host's is named projection/table.")
    var table: String?

    @Option(help: "The maximum number of rows.")
    var limit = 100

    func run() throws {
        guard let table else {
            for name in try views.read({ $0.snapshot.tableNames }) {
                if views.arguments.json { try JSON.print(["table": name]) } else { print(name.terminalSafe) }
            }
            return
        }
        let rows = try views.read { views in
            guard views.snapshot.tableNames.contains(table) else {
                throw ToolError.usage("there is no table \(table); without a table, their names are listed")
            }
            return try views.snapshot.describedRows(of: table, limit: max(limit, 0))
        }
        for row in rows {
            if views.arguments.json {
                let named = { (parts: [DescribedPart]) in
                    Dictionary(parts.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
                }
                try JSON.print(["key": row.key.map(named), "row": row.row.map(named)] as JSONObject)
            } else {
                print("\(Self.words(row.key))  \(Self.words(row.row))".terminalSafe)
            }
        }
    }

    private static func words(_ parts: [DescribedPart]?) -> String {
        guard let parts else { return "(cannot be read)" }
        return parts.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
    }
}
