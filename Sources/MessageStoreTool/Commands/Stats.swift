internal import ArgumentParser
internal import MessageStore

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show sizes: events, bytes by table, journal, free pages, readers, buffer and checkpoint.")

    struct Output: Encodable {
        struct Table: Encodable {
            let environment: String
            let name: String
            let entries: Int
            let bytes: Int
        }

        struct Sizes: Encodable {
            let name: String
            let usedBytes: Int
            let freePages: Int
            let mapBytes: Int
            let liveReaders: Int
            let oldestReaderLag: Int
        }

        let account: String
        let events: Int
        let tables: [Table]
        let environments: [Sizes]
        let journalBytes: Int
        let viewPosition: UInt64
        let checkpointPosition: UInt64
        let bufferedRows: Int
        let bufferedBytes: Int
        let unknownEvents: [String: Int]
    }

    @OptionGroup var arguments: StoreArguments

    func run() throws {
        let store = try arguments.openReadOnly()
        let statistics = try store.statistics()
        let unknown = try store.read { try $0.unknownEventCounts() }
        let hosts = HostEvents(try store.eventDescriptions())
        let output = Output(
            account: store.account.rawValue, events: statistics.events,
            tables: statistics.tables.map {
                .init(environment: $0.environment, name: $0.name, entries: $0.entries, bytes: $0.bytes)
            },
            environments: statistics.environments.map {
                .init(
                    name: $0.name, usedBytes: $0.usedBytes, freePages: $0.freePages, mapBytes: $0.mapBytes,
                    liveReaders: $0.liveReaders, oldestReaderLag: $0.oldestReaderLag)
            },
            journalBytes: statistics.journalBytes, viewPosition: statistics.viewPosition.rawValue,
            checkpointPosition: statistics.checkpointPosition.rawValue, bufferedRows: statistics.bufferedRows,
            bufferedBytes: statistics.bufferedBytes,
            unknownEvents: Dictionary(uniqueKeysWithValues: unknown.map { (hosts.name(of: $0) ?? $0.description, $1) }))
        if arguments.json { try JSON.print(output) } else { show(output, hosts) }
    }

    private func show(_ output: Output, _ hosts: HostEvents) {
        var tables = TextTable(columns: [
            .init(header: "TABLE"), .init(header: "ENTRIES", alignment: .right),
            .init(header: "BYTES", alignment: .right),
        ])
        for table in output.tables {
            tables.append([
                "\(table.environment)/\(table.name)", NumberFormat.count(table.entries),
                NumberFormat.bytes(UInt64(clamping: table.bytes)),
            ])
        }
        tables.print()
        print("")
        var facts = TextTable(columns: [.init(header: "FACT"), .init(header: "VALUE", alignment: .right)])
        facts.append(["account", output.account])
        facts.append(["events", NumberFormat.count(output.events)])
        for sizes in output.environments {
            facts.append(["\(sizes.name): used", NumberFormat.bytes(UInt64(clamping: sizes.usedBytes))])
            facts.append(["\(sizes.name): free pages", NumberFormat.count(sizes.freePages)])
            facts.append(["\(sizes.name): map", NumberFormat.bytes(UInt64(clamping: sizes.mapBytes))])
            facts.append(["\(sizes.name): live readers", NumberFormat.count(sizes.liveReaders)])
            facts.append(["\(sizes.name): oldest reader lags by", NumberFormat.count(sizes.oldestReaderLag)])
        }
        facts.append(["journal", NumberFormat.bytes(UInt64(clamping: output.journalBytes))])
        facts.append(["views at", NumberFormat.count(output.viewPosition)])
        facts.append(["checkpoint at", NumberFormat.count(output.checkpointPosition)])
        facts.append(["buffered rows", NumberFormat.count(output.bufferedRows)])
        facts.append(["buffered bytes", NumberFormat.bytes(UInt64(clamping: output.bufferedBytes))])
        for (type, count) in output.unknownEvents.sorted(by: { $0.key < $1.key }) {
            let kind = hosts.type(named: type) == nil ? "of unknown type \(type)" : "of \(type), registered by a host"
            facts.append(["events \(kind)", NumberFormat.count(count)])
        }
        facts.print()
    }
}
