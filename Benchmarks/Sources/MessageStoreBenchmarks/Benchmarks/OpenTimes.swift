internal import Foundation
internal import MessageStore
internal import MessageStoreWorkload

/// How long a store takes to open: one that was closed, and one whose process was killed with a full buffer.
struct OpenTimes {
    var events = 1_000_000
    var repetitions = 7
    var directory: String

    func run() throws -> Section {
        try Files.withDirectory(in: directory) { base in
            Progress.say("open: a closed store of \(events) events")
            let backlog = Backlog.fitted(events: events)
            let peer = try StorePeer(at: base + "/clean", backlog)
            _ = try SyncRun.measure(peer, backlog, packageSize: 200, chunk: 250_000)
            let last = Int(try peer.store.lastPosition().rawValue)
            try peer.close()
            let clean = try (0..<repetitions).map { _ in
                try KilledStore.open(base + "/clean", account: backlog.account, expecting: last)
            }
            let checked = try (0..<repetitions).map { _ in
                try KilledStore.open(base + "/clean", account: backlog.account, expecting: last, .always)
            }
            let bytes = Files.diskBytes(base + "/clean")
            Progress.say("open: a killed store")
            let killed = try KilledStore.make(at: base + "/killed", events: events)
            let recovered = try (0..<repetitions).map { _ in try killed.open(account: backlog.account) }
            return section(last, clean, checked, bytes, killed, recovered)
        }
    }

    private func section(
        _ last: Int, _ clean: [(open: Double, list: Double)], _ checked: [(open: Double, list: Double)],
        _ bytes: Int, _ killed: KilledStore, _ recovered: [(open: Double, list: Double)]
    ) -> Section {
        var section = Section(title: "Opening a store of \(events) events")
        let walk = Spread(checked.map(\.open)).median - Spread(clean.map(\.open)).median
        section.notes = [
            "Medians of \(repetitions) openings, files in the page cache. The killed store's buffer held "
                + "\(Markdown.number(Double(killed.bufferedBytes) / 1e6)) MB of rows; before each opening "
                + "its files are put back as the kill left them. Looking at all pages reads "
                + "\(Markdown.number(Double(bytes) / 1e3 / walk)) MB/s."
        ]
        var table = Table(
            nil,
            [
                "store", "events in the log", "events to fold", "open in ms", "min", "max",
                "open and first list page in ms",
            ])
        for (name, events, tail, times) in [
            ("closed", last, 0, clean), ("closed, all pages looked at", last, 0, checked),
            ("kill -9 with a full buffer", killed.events, killed.tail, recovered),
        ] {
            let open = Spread(times.map(\.open))
            table.rows.append([
                .text(name), .number(events), .number(tail), .number(open.median), .number(open.min), .number(open.max),
                .number(Spread(times.map(\.list)).median),
            ])
        }
        section.tables = [table]
        let (closed, afterKill) = (Spread(clean.map(\.open)).median, Spread(recovered.map(\.open)).median)
        section.verdict =
            "A closed store of \(events) events opens in \(Markdown.number(closed)) ms, a killed one in "
            + "\(Markdown.number(afterKill)) ms."
        return section
    }
}
