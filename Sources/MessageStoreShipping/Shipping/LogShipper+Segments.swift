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
                // What follows was cut off: the place continues with a base.
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
        try await carrier.replace(ObjectName.page(of: course.storeName), with: ShippedJSON.encode(page))
        (course.pageHead, course.pageTime) = (course.head, .now)
    }
}
