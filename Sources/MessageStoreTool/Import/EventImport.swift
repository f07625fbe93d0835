internal import Foundation
internal import MessageStoreLMDB

/// Makes a store of an exported log.
struct EventImport {
    struct Summary: Encodable {
        let account: String
        let events: Int
        let digest: String
        /// The projections whose digests equal the export's, and projections of other versions.
        let compared: [String]
        let notCompared: [String]
        var seconds = 0.0

        var table: TextTable {
            var table = TextTable(columns: ["IMPORTED", .right("VALUE")])
            table.append(["account", account])
            table.append(["events", NumberFormat.count(events)])
            table.append(["digest of the events", digest])
            table.append(["projections with equal digests", NumberFormat.count(compared.count)])
            if !notCompared.isEmpty {
                table.append(["not compared: other versions", notCompared.joined(separator: " ")])
            }
            table.append(["time", NumberFormat.duration(.seconds(seconds))])
            return table
        }
    }

    let file: EventFile
    let path: String

    init(_ file: String, to path: String, account: UserID?) throws {
        self.file = try EventFile(path: file)
        let path = FileSystem.withoutTrailingSlashes(path)
        self.path = path
        guard !FileManager.default.fileExists(atPath: path) else {
            throw ToolError.usage("\(path) exists already; an exported log makes a store of its own")
        }
        let header = self.file.header
        guard header.first.rawValue == 1 else {
            throw ToolError.usage(
                "\(file) begins with event \(header.first): a part of a log can be looked at, and not imported")
        }
        guard account == nil || account == header.account else {
            throw ToolError.usage("\(file) is a log of another account")
        }
    }

    /// Makes the store next to its path, and moves it there when all is well.
    func run(progress: (Int) -> Void) throws -> Summary {
        let start = ContinuousClock.now
        var summary = try StoreDirectory(path: path).make(.copying) { try makeStore(at: $0, progress) }
        summary.seconds = NumberFormat.seconds(start.duration(to: .now))
        return summary
    }

    private func makeStore(at path: String, _ progress: (Int) -> Void) throws -> Summary {
        // Without the host's types its events stay as the file has them.
        var configuration = MessageStore.Configuration()
        configuration.privacy.key = MessageStoreCommand.key
        let store = try MessageStore.open(path, account: file.header.account, configuration: configuration)
        do {
            try store.describe(file.header.descriptions ?? [])
            try restore(store, progress)
            let summary = try compare(store)
            try store.close()
            return summary
        } catch {
            try? store.close()
            throw error
        }
    }

    private func restore(_ store: MessageStore, _ progress: (Int) -> Void) throws {
        do {
            try store.appendRecorded {
                let event = try file.next()
                if let event { progress(Int(clamping: event.position.rawValue)) }
                return event
            }
        } catch let error as StoreError {
            guard error.code == .invalidArgument, let position = error.position else { throw error }
            throw file.error(refusing: position, error)
        }
    }

    private func compare(_ store: MessageStore) throws -> Summary {
        let exported = file.trailer?.projections ?? [:]
        let digests = try store.digests()
        var (compared, others): ([String], [String]) = ([], [])
        for projection in try store.read({ try ViewDiagnostics.projections(in: $0) }) {
            let name = projection.id.rawValue
            guard let digest = digests[projection.id], let expected = exported[name],
                expected.version == projection.version
            else {
                others.append(name)
                continue
            }
            guard digest.hexadecimal() == expected.digest else {
                throw ToolError.check("\(name) has another digest than in the store that was exported")
            }
            compared.append(name)
        }
        return Summary(
            account: store.account.rawValue, events: file.trailer?.events ?? 0, digest: file.trailer?.digest ?? "",
            compared: compared, notCompared: others)
    }
}
