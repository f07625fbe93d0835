/// Writes a log in the form that `import --format events` reads.
struct ExportedLog {
    /// Whether message text is removed, as if every event were redacted.
    var removesText = false
    var isGzip = false
    /// The file, which must not exist; nil for standard output.
    var file: String?

    /// Writes the whole file.
    ///
    /// - Parameter before: How many events of each type lost their content before; nil if none did.
    /// - Returns: How many lost it, here or before.
    func write(
        _ store: MessageStore, from first: Position, to last: Position, cut before: [String: Int]? = nil
    ) throws -> [String: Int] {
        let projections = first.rawValue == 1 ? try self.projections(of: store, at: last) : nil
        let descriptions = try store.eventDescriptions()
        let writer = try LineWriter(isGzip: isGzip, file: file)
        let header = ExportHeader(
            account: store.account, first: first, last: last, base: try store.replayStart(), descriptions: descriptions)
        try writer.write(try JSON.line(header))
        var lines = EventLines(writer)
        let cut = try write(store, from: first, to: last, to: &lines)
        let trailer = ExportTrailer(
            events: lines.count, digest: lines.digest.text, projections: projections,
            withoutText: before ?? (removesText ? cut : nil))
        try writer.write(try JSON.line(trailer))
        try writer.finish()
        return before ?? cut
    }

    /// Writes the events; returns how many of each type lost their content.
    private func write(
        _ store: MessageStore, from first: Position, to last: Position, to lines: inout EventLines
    ) throws -> [String: Int] {
        var cut: [String: Int] = [:]
        guard first <= last else { return cut }
        let hosts = HostEvents(try store.eventDescriptions())
        var progress = ProgressLine(label: "exporting", total: Int(clamping: last.rawValue))
        func write(_ event: RecordedEvent) throws {
            try lines.add(event)
            progress.update(done: Int(clamping: event.position.rawValue))
        }
        do {
            if removesText {
                try store.forEachRedactedEvent(from: first, to: last) { event, isCut in
                    if isCut { cut[hosts.typeName(of: event), default: 0] += 1 }
                    try write(event)
                }
            } else {
                try store.forEachEvent(from: first, to: last) { event in
                    try write(event)
                    return true
                }
            }
        } catch {
            // The events up to a damaged one are of use without the others.
            try lines.finish()
            throw error
        }
        try lines.finish()
        progress.finish()
        return cut
    }

    private func projections(
        of store: MessageStore, at last: Position
    ) throws -> [String: ExportTrailer.Projection] {
        let digests = try store.read { views in views.position == last ? try views.snapshot.digests() : nil }
        let versions = try store.read { try ViewDiagnostics.projections(in: $0) }
        let known = try digests ?? withProgress("replaying") { try store.digests(at: last, progress: $0) }
        return Dictionary(
            versions.compactMap { projection in
                known[projection.id].map {
                    (projection.id.rawValue, .init(version: projection.version, digest: $0.hexadecimal()))
                }
            }, uniquingKeysWith: { first, _ in first })
    }
}
