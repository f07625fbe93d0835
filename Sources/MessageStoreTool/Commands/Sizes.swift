internal import ArgumentParser
internal import MessageStore

struct Sizes: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show where the bytes are: by conversation, month or content type.",
        discussion: """
            Records are those of the log; files are those of messages on this device, as the app reported them. The lines \
            below the total belong to no single record: tables, names, free pages. --by may be repeated: \
            --by conversation --by type.
            """)

    /// A property by which bytes are summed.
    enum Property: String, ExpressibleByArgument, CaseIterable { case conversation, month, type }

    @OptionGroup var arguments: StoreArguments

    @Option(name: .customLong("by"), help: "conversation, month or type; repeat it for sums by several.")
    var properties: [Property] = [.conversation]

    @Option(
        name: [.customShort("n"), .long], help: "The maximum number of lines: the largest first, of months the newest.")
    var limit = 20

    func run() throws {
        guard limit > 0 else { throw ToolError.usage("--limit takes at least 1") }
        let store = try arguments.openReadOnly()
        let sizes = try store.sizes()
        let names = Names(store)
        var sums = sizes.amounts { part in properties.map { Value($0, of: part) } }
        if properties == [.month] { sums = sums.ordered { $0.value[0].words(names) > $1.value[0].words(names) } }
        if arguments.json { return try JSON.print(object(sizes, sums)) }
        var table = TextTable(
            columns: properties.map { .init(header: $0.rawValue.uppercased()) }
                + ["RECORDS", "BYTES", "FILES", "BYTES OF FILES", "SHARE"].map { .right($0) })
        let all = sum(sums.map(\.amount))
        let (shown, rest) = (sums.prefix(limit), sums.dropFirst(limit))
        for (values, amount) in shown { table.append(values.map { $0.words(names) } + cells(amount, of: all)) }
        let blanks = properties.dropFirst().map { _ in "" }
        if !rest.isEmpty {
            table.append(["\(NumberFormat.count(rest.count)) more"] + blanks + cells(sum(rest.map(\.amount)), of: all))
        }
        table.append(["all"] + blanks + cells(all, of: all))
        table.print()
        print("")
        var overheads = TextTable(columns: [.init(header: "OTHER BYTES OF THE STORE"), .right("BYTES")])
        for overhead in sizes.overheads.ordered(by: { $0.bytes > $1.bytes }) {
            overheads.append([overhead.name, bytes(overhead.bytes)])
        }
        overheads.append(["store, with records", bytes(sizes.storeBytes)])
        overheads.print()
    }

    private func bytes(_ count: Int) -> String { NumberFormat.bytes(UInt64(clamping: count)) }

    private func sum(_ amounts: [StoreSizes.Amount]) -> StoreSizes.Amount { amounts.reduce(into: .init()) { $0 += $1 } }

    private func cells(_ amount: StoreSizes.Amount, of all: StoreSizes.Amount) -> [String] {
        [
            NumberFormat.count(amount.records), bytes(amount.recordBytes), NumberFormat.count(amount.files),
            bytes(amount.fileBytes), "\(all.bytes == 0 ? 0 : amount.bytes * 100 / all.bytes) %",
        ]
    }

    private func object(_ sizes: StoreSizes, _ sums: [(value: [Value], amount: StoreSizes.Amount)]) -> JSONObject {
        let parts = sums.map { values, amount in
            var part: JSONObject = [
                "records": amount.records, "recordBytes": amount.recordBytes, "files": amount.files,
                "fileBytes": amount.fileBytes,
            ]
            for (property, value) in zip(properties, values) { part[property.rawValue] = value.json }
            return part
        }
        let overheads = sizes.overheads.map { ["name": $0.name, "bytes": $0.bytes] as JSONObject }
        return [
            "position": sizes.position, "parts": parts, "overheads": overheads, "storeBytes": sizes.storeBytes,
        ]
    }

    /// The value of a property.
    private enum Value: Hashable {
        case conversation(ConversationKey?), month(StoreSizes.Month), type(ContentType?)

        init(_ property: Property, of part: StoreSizes.Part) {
            switch property {
            case .conversation: self = .conversation(part.conversation)
            case .month: self = .month(part.month)
            case .type: self = .type(part.type)
            }
        }

        func words(_ names: Names) -> String {
            switch self {
            case .conversation(let key): key.map(names.label) ?? "the account"
            case .month(let month): month.description
            case .type(let type): type?.rawValue ?? "no content"
            }
        }

        var json: (any Encodable & Sendable)? {
            switch self {
            case .conversation(let key): key
            case .month(let month): month.description
            case .type(let type): type?.rawValue
            }
        }
    }
}
