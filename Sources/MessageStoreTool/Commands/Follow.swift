internal import ArgumentParser
internal import Foundation
internal import MessageStoreShipping

struct Follow: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Follow a shipped log by a copy, for the reading commands.",
        discussion: """
            Restores the copy if it does not exist, then takes over new events until ctrl-C, or once with --once. Other \
            commands read the copy meanwhile. Nothing may be recorded in it. Exits with 3 \
            where an erasure is not finished.

            \(PlaceArgument.guide)
            """)

    @Argument(help: "The place to which the log is shipped.")
    var place: String

    @Argument(help: "The directory of the copy.")
    var store: String

    @Flag(help: "Take over the events that are there, and end.")
    var once = false

    @Flag(help: "Print JSON lines.")
    var json = false

    func run() throws {
        let carrier = try PlaceArgument.carrier(place)
        let configuration = MessageStoreCommand.configuration
        if !FileManager.default.fileExists(atPath: store) { try? FirstPageOutput.print(carrier, json) }
        let (path, once, json) = (store, once, json)
        let follower = try waitForTask {
            try await LogFollower.open(path, from: carrier, configuration: configuration)
        }
        try Self.print(try waitForTask { try await follower.update() }, json)
        if !once {
            try waitForTask {
                try await follower.run { result in
                    switch result {
                    case .success(let state): try? Self.print(state, json)
                    case .failure(let error):
                        writeToStandardError("messagestore: \(error); trying again\n".terminalSafe)
                    }
                }
            }
        }
        try Unfinished.close(follower.store)
    }

    private static func print(_ state: LogFollower.State, _ json: Bool) throws {
        if json {
            try JSON.print(["position": state.position.rawValue, "done": state.hasAllErasures] as JSONObject)
        } else {
            let rest = state.hasAllErasures ? "" : "; an erasure is not finished"
            Swift.print("at position \(state.position)\(rest)")
        }
    }
}

/// The top of the list of a log that is still being restored.
enum FirstPageOutput {
    static func print(_ carrier: any Carrier, _ json: Bool) throws {
        let key = MessageStoreCommand.key
        guard !json, let page = try waitForTask({ try await LogRestorer(from: carrier, key: key).firstPage() })
        else { return }
        var table = TextTable(columns: [.init(header: "NAME", maximumWidth: 28), .right("UNREAD"), "LAST MESSAGE"])
        for row in page.conversations.prefix(10) {
            let line = row.lastText.map { "\(row.lastSender ?? ""): \($0)" }
            table.append([row.displayName, NumberFormat.count(row.unreadMessages), line ?? ""])
        }
        table.print()
    }
}
