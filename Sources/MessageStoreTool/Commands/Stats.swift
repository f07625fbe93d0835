internal import ArgumentParser

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show sizes: events, bytes by table, journal, free pages, readers, buffer and checkpoint.")

    @OptionGroup var arguments: StoreArguments

    @Option(help: "The store's inbox: shows how many files wait, and how many were rejected.")
    var inbox: String?

    func run() throws {
        let store = try StoreArguments.openReadOnly(arguments.store) { $0.processes.inboxPath = inbox }
        let statistics = try store.statistics()
        let unknown = try store.read { try ViewDiagnostics.unknownEventCounts(in: $0) }
        let hosts = HostEvents(try store.eventDescriptions())
        let unknownEvents = Dictionary(uniqueKeysWithValues: unknown.map { (hosts.name(of: $0) ?? $0.description, $1) })
        if arguments.json { return try JSON.print(object(store, statistics, unknownEvents)) }
        show(statistics.tables)
        print("")
        var facts = TextTable(columns: ["FACT", .right("VALUE")])
        func add(_ name: String, count: some BinaryInteger) { facts.append([name, NumberFormat.count(count)]) }
        func add(_ name: String, bytes: Int) { facts.append([name, NumberFormat.bytes(UInt64(clamping: bytes))]) }
        facts.append(["account", store.account.rawValue])
        add("events", count: statistics.events)
        if statistics.cutEvents > 0 {
            add("events cut off", count: statistics.cutEvents)
            add("can be replayed from", count: statistics.replayStart.rawValue)
        }
        for sizes in statistics.environments {
            add("\(sizes.name): used", bytes: sizes.usedBytes)
            add("\(sizes.name): free pages", count: sizes.freePages)
            add("\(sizes.name): map", bytes: sizes.mapBytes)
            add("\(sizes.name): live readers", count: sizes.liveReaders)
            add("\(sizes.name): oldest reader lags by", count: sizes.oldestReaderLag)
        }
        add("journal", bytes: statistics.journalBytes)
        add("erased and still in a file", bytes: statistics.owedBytes)
        add("views at", count: statistics.viewPosition.rawValue)
        add("checkpoint at", count: statistics.checkpointPosition.rawValue)
        add("buffered rows", count: statistics.bufferedRows)
        add("buffered bytes", bytes: statistics.bufferedBytes)
        if let inbox = statistics.inbox {
            add("inbox: files that wait", count: inbox.waitingFiles)
            add("inbox: bytes that wait", bytes: inbox.waitingBytes)
            add("inbox: rejected files", count: inbox.rejectedFiles)
        }
        for (type, number) in unknownEvents.ordered(by: { $0.key < $1.key }) {
            let kind = hosts.type(named: type) == nil ? "of unknown type \(type)" : "of \(type), registered by a host"
            add("events \(kind)", count: number)
        }
        facts.print()
    }

    private func object(
        _ store: MessageStore, _ statistics: StoreStatistics, _ unknownEvents: [String: Int]
    ) -> JSONObject {
        let tables = statistics.tables.map {
            ["environment": $0.environment, "name": $0.name, "entries": $0.entries, "bytes": $0.bytes] as JSONObject
        }
        let environments = statistics.environments.map {
            [
                "name": $0.name, "usedBytes": $0.usedBytes, "freePages": $0.freePages, "mapBytes": $0.mapBytes,
                "liveReaders": $0.liveReaders, "oldestReaderLag": $0.oldestReaderLag,
            ] as JSONObject
        }
        let inbox = statistics.inbox.map {
            [
                "waitingFiles": $0.waitingFiles, "waitingBytes": $0.waitingBytes, "rejectedFiles": $0.rejectedFiles,
            ] as JSONObject
        }
        return [
            "account": store.account, "inbox": inbox, "events": statistics.events, "cutEvents": statistics.cutEvents,
            "base": statistics.replayStart, "tables": tables, "environments": environments,
            "journalBytes": statistics.journalBytes, "owedBytes": statistics.owedBytes,
            "viewPosition": statistics.viewPosition,
            "checkpointPosition": statistics.checkpointPosition, "bufferedRows": statistics.bufferedRows,
            "bufferedBytes": statistics.bufferedBytes, "unknownEvents": unknownEvents,
        ]
    }

    private func show(_ tables: [StoreStatistics.Table]) {
        var text = TextTable(columns: ["TABLE", .right("ENTRIES"), .right("BYTES")])
        for table in tables {
            text.append([
                "\(table.environment)/\(table.name)", NumberFormat.count(table.entries),
                NumberFormat.bytes(UInt64(clamping: table.bytes)),
            ])
        }
        text.print()
    }
}
