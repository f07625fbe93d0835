internal import MessageStoreLMDB
internal import MessageStoreLog

extension LogShipper {
    /// Puts a base where it is time for one, and removes what it makes superfluous.
    func shipBase(
        _ course: inout ShippingCourse, _ report: inout ShippingReport, isWanted: Bool
    ) async throws {
        let since = course.head.rawValue - min(course.head.rawValue, course.base?.rawValue ?? 0)
        guard isWanted || course.base == nil || since >= UInt64(max(1, options.eventsPerBase)) else { return }
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
        try await put(copy, at: position, &course, &report)
        report.hasBase = true
        let limit = course.base ?? .origin
        try await removeSuperfluous(course, before: limit, base: position)
        course.segments.removeAll { $0.first <= limit }
        course.base = position
        course.head = max(course.head, position)
    }

    private func put(
        _ copy: String, at position: Position, _ course: inout ShippingCourse, _ report: inout ShippingReport
    ) async throws {
        let name = ObjectName.base(of: course.storeName, at: position)
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

    /// Removes earlier bases and the segments up to a position. The segments of the base before stay, for those who
    /// follow; and the ends of other stores' logs, so that these never ship again.
    private func removeSuperfluous(_ course: ShippingCourse, before limit: Position, base: Position) async throws {
        guard let log = try await ShippedLog.list(carrier) else { return }
        for segment in course.segments where segment.first <= limit { try await carrier.remove(segment.name) }
        for store in log.stores {
            let kept = ObjectName.base(of: course.storeName, at: base)
            let names = try await carrier.all(ObjectName.bases(of: store)).filter { !$0.hasPrefix(kept) }
            // Without its manifest, a base that is half removed is none.
            for name in names.filter({ $0.hasSuffix(ObjectName.manifest) }) + names { try await carrier.remove(name) }
            if store != course.storeName {
                try await carrier.remove(ObjectName.page(of: store))
                for name in try await carrier.all(ObjectName.erasures(of: store)) { try await carrier.remove(name) }
            }
        }
    }
}
