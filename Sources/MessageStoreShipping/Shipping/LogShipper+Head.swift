internal import MessageStoreLMDB

extension LogShipper {
    /// The last position of the place, whose event must be the store's, and whether objects are under another key.
    func checkedHead(
        of log: ShippedLog, _ isBaseWanted: Bool
    ) async throws -> (position: Position, isOfOtherKey: Bool) {
        var (head, isOfOtherKey) = (Position.origin, false)
        if let segment = log.segments.last, segment.first > log.bases.last?.position ?? .origin {
            let bytes = try await get(segment)
            let opens = try await onQueue { try $0.opens(segment: bytes) }
            head = try await check(bytes, segment.name, from: segment.first, isOpen: opens)
            // A kill may have left a base under another key.
            let isBaseOpen = if let base = log.bases.last { try await self.opens(base) } else { true }
            isOfOtherKey = !opens || !isBaseOpen
        } else if let base = log.bases.last {
            let (end, name) = (try await [UInt8](base.manifest(carrier).end), base.name + ObjectName.manifest)
            isOfOtherKey = try await onQueue { try !$0.opens(segment: end) }
            head = try await check(end, name, from: base.position, isOpen: !isOfOtherKey)
            guard head == base.position else { throw damaged(name) }
        }
        // The events of a predecessor must be compared, so its key must open them.
        let isOwn = log.current == store.storeName
        guard !isOfOtherKey || isOwn && isBaseWanted else {
            let remedy = isOwn ? "put a base, which replaces them" : "take the place over under its key"
            throw StoreError(
                .keyRefused, "the place has objects under another key, or clear ones: \(remedy)",
                path: carrier.description)
        }
        return (head, isOfOtherKey)
    }

    private func get(_ segment: ShippedLog.Segment) async throws -> [UInt8] {
        guard let bytes = try await carrier.get(segment.name) else {
            throw StoreError(.carrierFailed, "a segment that was listed is not there", path: segment.name)
        }
        return bytes
    }

    /// Whether the store's key opens a segment.
    func opens(_ segment: ShippedLog.Segment) async throws -> Bool {
        let bytes = try await get(segment)
        return try await onQueue { try $0.opens(segment: bytes) }
    }

    /// Whether the store's key opens a base; a damaged one is found later.
    private func opens(_ base: ShippedLog.Base) async throws -> Bool {
        do {
            let end = try await [UInt8](base.manifest(carrier).end)
            return try await onQueue { try $0.opens(segment: end) }
        } catch let error as StoreError where [.segmentDamaged, .segmentMissing].contains(error.code) { return true }
    }

    /// The last position of a segment, all of whose events must be the store's.
    ///
    /// - Parameters:
    ///   - first: The first position by the segment's name; the event before it may be in it as well.
    ///   - isOpen: Whether the store's key opens it; otherwise the positions of a sealed one alone are compared.
    func check(
        _ segment: [UInt8], _ name: String, from first: Position, isOpen: Bool = true
    ) async throws -> Position {
        guard isOpen || EventLog.isClear(segment: segment) else {
            guard let found = EventLog.positions(ofWholeSegment: segment), found.first <= first, first <= found.last
            else { throw damaged(name) }
            let end = try await onQueue { try $0.durablePosition() }
            guard found.last <= end else { throw forked("the place has events that the store lacks", at: found.last) }
            return found.last
        }
        guard let found = try await onQueue({ try $0.comparison(withSegment: segment) }),
            found.positions.contains(first)
        else { throw damaged(name) }
        if let position = found.firstDifference {
            throw forked("the place has events that the store lacks", at: position)
        }
        return found.positions.upperBound
    }
}
