internal import MessageStoreLMDB

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension LogShipper {
    /// Puts a base if it is time for one, and removes the objects that it makes superfluous.
    func shipBase(
        _ course: inout ShippingCourse, _ report: inout ShippingReport, isWanted: Bool
    ) async throws {
        guard isWanted || isBaseDue(course) else { return }
        let isFirst = course.base == nil
        let (rewrites, ledger) = isFirst ? try await onQueue { try ($0.rewrites, $0.erasureLedger()) } : (0, nil)
        let work = try await onQueue { try WorkDirectory(.shipping, nextTo: $0.path) }
        defer { work.remove() }
        let copy = work.path + "/store"
        let position = try await onQueue { try $0.backup(to: copy) }
        guard position > .origin else { return }
        // A base continues no log that another store continues: the segments up to it come first.
        if course.base != nil || course.head != .origin {
            while course.head < position {
                do { try await shipSegment(&course, &report, upTo: position) } catch let error as StoreError
                    where error.code == .positionCut
                {
                    course.head = position
                }
            }
        }
        // A copy of this store may have put a longer segment, whose end a base before that would hide.
        guard course.base == nil || course.head <= position else {
            throw StoreError(.carrierFailed, "the place changed meanwhile", path: carrier.description)
        }
        let name = ObjectName.newBase(of: course.storeName, at: position)
        let manifest = try await putPieces(of: copy, name, at: position, &report)
        _ = try await checkedLog(course, upTo: position)
        try await carrier.replace(name + ObjectName.manifest, with: manifest)
        report.bytes += manifest.count
        report.hasBase = true
        let limit = max(course.base ?? .origin, course.otherKeyEnd ?? .origin)
        let log = try await checkedLog(course, upTo: position)
        try await removeSuperfluous(log, limit, .init(position: position, name: name))
        course.segments.removeAll { $0.first <= limit }
        (course.base, course.owesBase, course.otherKeyEnd, baseTime) = (position, false, nil, .now)
        course.head = max(course.head, position)
        // This ledger does not name later erasures.
        if let ledger { try await put(ledger, rewrites, &course) }
    }

    private func isBaseDue(_ course: ShippingCourse) -> Bool {
        guard let base = course.base else { return true }
        return course.head.rawValue >= base.rawValue + UInt64(max(1, options.eventsPerBase))
            || course.segments.count { $0.first > base } >= max(1, options.segmentsPerBase)
    }

    /// Puts the pieces of a copy; answers the manifest, without which they do not count.
    private func putPieces(
        of copy: String, _ name: String, at position: Position, _ report: inout ShippingReport
    ) async throws -> [UInt8] {
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
        let end = try await onQueue { try $0.segment(of: position) }
        return try SealedJSON.encode(
            BaseManifest(position: position.rawValue, files: files, pieces: pieces, end: Data(end)))
    }

    /// Removes all bases but one, and the segments up to the one before, which followers may still need. The ends of
    /// other stores' logs stay, so that these never ship again.
    func removeSuperfluous(_ log: ShippedLog, _ limit: Position, _ base: ShippedLog.Base) async throws {
        for segment in log.segments where segment.first <= limit { try await carrier.remove(segment.name) }
        for store in log.stores {
            let names = try await carrier.objects(ObjectName.bases(of: store)).filter { !$0.hasPrefix(base.name) }
            // Without its manifest, a base that is half removed does not count.
            for name in names.filter({ $0.hasSuffix(ObjectName.manifest) }) + names { try await carrier.remove(name) }
            guard store != log.current else { continue }
            try await carrier.remove(ObjectName.page(of: store))
            // Until this store has put its own, the other one's applies.
            guard try await carrier.list(ObjectName.erasures(of: log.current), after: nil).isEmpty == false else {
                continue
            }
            for name in try await carrier.objects(ObjectName.erasures(of: store)) { try await carrier.remove(name) }
            try await carrier.remove(ObjectName.erased(of: store))
        }
    }
}

/// Reads the files of a copy of a store, one after the other, in pieces.
struct BaseReader: Sendable {
    let files: [BaseManifest.File]
    private let directory: String
    /// The file that is read, and how much of it was.
    private var (index, offset) = (0, 0)

    init(_ directory: String) throws {
        self.directory = directory
        files = try Self.files(of: directory)
    }

    /// The next bytes, and the reader after them; no bytes at the end.
    func piece(of size: Int) throws -> ([UInt8], BaseReader) {
        var (piece, next) = ([UInt8](), self)
        while next.index < files.count, piece.count < size {
            let file = files[next.index]
            let limit = min(size - piece.count, file.size - next.offset)
            let bytes = try FileSystem.read(directory + "/" + file.path, offset: next.offset, limit: limit)
            guard bytes.count == limit else { throw StoreError(.inputOutput, "a copy changed", path: file.path) }
            piece += bytes
            next.offset += bytes.count
            if next.offset == file.size { (next.index, next.offset) = (next.index + 1, 0) }
        }
        return (piece, next)
    }

    private static func files(of copy: String, in directory: String = "") throws -> [BaseManifest.File] {
        try FileSystem.names(in: copy + "/" + directory).flatMap { name -> [BaseManifest.File] in
            let path = directory.isEmpty ? name : directory + "/" + name
            guard let status = try FileSystem.status(of: copy + "/" + path) else { return [] }
            switch status.kind {
            case .directory: return try files(of: copy, in: path)
            // Every opening makes another one.
            case .file where !name.contains("lock"): return [.init(path: path, size: status.size)]
            default: return []
            }
        }
    }
}

extension LogShipper {
    /// Puts segments of all durable events.
    func shipSegments(_ course: inout ShippingCourse, _ report: inout ShippingReport) async throws {
        // A new place begins with a base, which has all that is there.
        guard course.base != nil || course.head != .origin else { return }
        let end = try await onQueue { try $0.durablePosition() }
        while course.head < end {
            try Task.checkCancellation()
            do { try await shipSegment(&course, &report) } catch let error as StoreError
                where error.code == .positionCut
            {
                // The next events were cut off: the place continues with a base.
                return try await shipBase(&course, &report, isWanted: true)
            }
        }
    }

    /// Puts the next segment, which ends with a position at most.
    func shipSegment(
        _ course: inout ShippingCourse, _ report: inout ShippingReport, upTo end: Position = Position(.max)
    ) async throws {
        let (head, limit) = (course.head, min(options.segmentBytes, carrier.objectSize * 3 / 4))
        guard let segment = try await onQueue({ try $0.segment(after: head, upTo: end, limit: limit) }) else { return }
        let first = Position(head.rawValue + 1)
        let name = ObjectName.segment(of: course.storeName, from: first)
        if try await carrier.put(segment.bytes, ifAbsent: name) {
            report.segments += 1
            report.bytes += segment.bytes.count
            course.head = segment.last
        } else {
            course.head = try await headOfOther(at: name, first)
        }
        course.segments.append(.init(first: first, name: name))
    }

    /// The end of a segment that is there already: this store's, whose answer was lost, or another writer's.
    private func headOfOther(at name: String, _ first: Position) async throws -> Position {
        guard let bytes = try await carrier.get(name) else {
            throw StoreError(.carrierFailed, "an object that has the name is not there", path: name)
        }
        if bytes.isLogEnd { throw forked("another store continues the log", at: first) }
        return try await check(bytes, name, from: first)
    }

    /// Puts the top of the conversation list.
    func shipPage(_ course: inout ShippingCourse, _ report: ShippingReport) async throws {
        guard options.pageCount > 0, course.base != nil else { return }
        let isOld = course.pageTime.map { $0.duration(to: .now) > .seconds(60) } ?? true
        guard report.hasBase || report.hasErased || (isOld && course.pageHead != course.head) else { return }
        let count = options.pageCount
        let page = try await onQueue { try FirstPage(of: $0, count: count) }
        let name = ObjectName.page(of: course.storeName)
        let object = try await onQueue { try $0.shippedForm(of: SealedJSON.encode(page), name: name) }
        try await carrier.replace(name, with: object)
        (course.pageHead, course.pageTime) = (course.head, .now)
    }
}
