internal import ArgumentParser
internal import MessageStoreShipping

struct Ship: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ship the log of a store to a folder, to S3 or to NATS JetStream.",
        discussion: """
            Puts a base, which is a whole copy, and then segments with later events; objects that are there already are \
            not put again. Words that were erased leave the place. `restore` makes a store of what was shipped, and \
            `follow` a copy that follows. The first round also compares all objects that a restore would fetch, and \
            puts a base where one is damaged or missing. Opens the store for writing, so no other process may have it open for writing: an app \
            ships while it runs by the library.

            \(PlaceArgument.guide)
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(help: "The place.")
    var place: String

    @Flag(help: "Put a base in any case; it replaces objects under another key, or clear ones.")
    var base = false

    @Flag(help: "Continue the log of the store that this one was restored from; that one ships no more.")
    var takeOver = false

    @Flag(help: "Erase what was erased in the place and not here, as after the store was set back to a copy.")
    var takeErasures = false

    @Flag(help: "Put nothing, and compare everything that a restore would fetch.")
    var check = false

    @Flag(help: "Keep shipping, until ctrl-C.")
    var keepShipping = false

    func run() throws {
        let carrier = try PlaceArgument.carrier(place)
        if check { return try Self.check(carrier, arguments.json) }
        let store = try arguments.openForWriting()
        var options = LogShipper.Options()
        options.takesOver = takeOver
        options.takesErasures = takeErasures
        let shipper = LogShipper(of: store, to: carrier, options: options)
        let (base, json) = (base, arguments.json)
        try Self.print(try waitForTask { try await shipper.ship(base: base) }, json)
        if keepShipping {
            try waitForTask {
                try await shipper.run { result in
                    switch result {
                    case .success(let report): try? Self.print(report, json)
                    case .failure(let error):
                        writeToStandardError("messagestore: \(error); trying again\n".terminalSafe)
                    }
                }
            }
        }
        try store.close()
    }

    private static func check(_ carrier: any Carrier, _ json: Bool) throws {
        let key = MessageStoreCommand.key
        let position = try waitForTask { try await LogRestorer(from: carrier, key: key).check() }
        if json { return try JSON.print(["position": position.rawValue] as JSONObject) }
        Swift.print("all objects can be restored, up to position \(position)")
    }

    private static func print(_ report: ShippingReport, _ json: Bool) throws {
        if json {
            try JSON.print(
                [
                    "position": report.position.rawValue, "segments": UInt64(report.segments),
                    "bytes": UInt64(report.bytes), "base": UInt64(report.hasBase ? 1 : 0),
                ] as JSONObject)
        } else {
            let segments = NumberFormat.count(report.segments, "segment", "segments")
            let base = report.hasBase ? " and a base" : ""
            if let name = report.damagedObject {
                Swift.print(
                    "\(name.terminalSafe) could not be restored: it was damaged, or objects before it were missing")
            }
            Swift.print("shipped up to position \(report.position): \(segments)\(base), \(report.bytes) bytes")
        }
    }
}
