internal import MessageStoreLMDB
internal import MessageStoreLog

extension LogShipper {
    /// Puts a base where it is time for one, and removes what it makes superfluous.
    func shipBase(
        _ course: inout ShippingCourse, _ report: inout ShippingReport, isWanted: Bool
    ) async throws {
        let since = course.head.rawValue - min(course.head.rawValue, course.base?.rawValue ?? 0)
        guard isWanted || course.base == nil || since >= UInt64(max(1, options.eventsPerBase)) else { return }
        let isFirst = course.base == nil
        let (rewrites, ledger) = isFirst ? try await onQueue { try ($0.rewrites, $0.erasureLedger()) } : (0, nil)
        let copy = FileSystem.temporaryDirectory + "/messagestore-base-\(UInt64.random(in: .min ... .max))"
        defer { try? FileSystem.remove(copy) }
        let position = try await onQueue { try $0.backup(to: copy) }
        guard position > .origin else { return }
        // A base continues no log that another store continues: the segments up to it come first.
        if course.base != nil || course.head != .origin {
            while course.head < position {
                do { try await shipSegment(&course, &report) } catch let error as StoreError where error.code == .positionCut
                {
                    course.head = position
                }
            }
        }
        let name = ObjectName.newBase(of: course.storeName, at: position)
        try await put(copy, name, at: position, &report)
        report.hasBase = true
        let limit = course.base ?? .origin
        if let log = try await ShippedLog.list(carrier) { try await removeSuperfluous(log, limit, name) }
        course.segments.removeAll { $0.first <= limit }
        course.base = position
        course.head = max(course.head, position)
        // Later erasures are those that this ledger does not name.
        if let ledger { try await put(ledger, rewrites, &course) }
    }

    private func put(
        _ copy: String, _ name: String, at position: Position, _ report: inout ShippingReport
    ) async throws {
        var reader = try await onQueue { _ in try BaseReader(copy) }
        let files = reader.files
        var pieces: [String] = []
        while true {
            try Task.checkCancellation()
            let (next, size) = (reader, carrier.objectSize)
            let (piece, after) = try await onQueue { _ in try next.piece(of: size) }
            guard !piece.isEmpty else { break }
            try await carrier.replace(name + ObjectName.number(pieces.count), with: piece)
            report.bytes += piece.count
            pieces.append(BaseManifest.checksum(of: piece))
            reader = after
        }
        let before = Position(position.rawValue - 1)
        let end = try await onQueue { try $0.segment(after: before, upTo: position, limit: 1) }
        let manifest = try ShippedJSON.encode(
            BaseManifest(position: position.rawValue, files: files, pieces: pieces, end: end?.bytes ?? []))
        try await carrier.replace(name + ObjectName.manifest, with: manifest)
        report.bytes += manifest.count
    }

    /// Removes all bases but one, and the segments up to the one before, which those who follow may still need. The ends of
    /// other stores' logs stay, so that these never ship again.
    func removeSuperfluous(_ log: ShippedLog, _ limit: Position, _ base: String) async throws {
        for segment in log.segments where segment.first <= limit { try await carrier.remove(segment.name) }
        for store in log.stores {
            let names = try await carrier.all(ObjectName.bases(of: store)).filter { !$0.hasPrefix(base) }
            // Without its manifest, a base that is half removed is none.
            for name in names.filter({ $0.hasSuffix(ObjectName.manifest) }) + names { try await carrier.remove(name) }
            guard store != log.current else { continue }
            for name in try await carrier.all(ObjectName.erasures(of: store)) { try await carrier.remove(name) }
            for name in [ObjectName.page(of: store), ObjectName.erased(of: store)] { try await carrier.remove(name) }
        }
    }
}
