extension LogShipper {
    /// Takes erased words out of the place: first the ledger, so that whoever restores or follows leaves it out, then
    /// the segments or the base that have it.
    ///
    /// - Parameter isPatient: Whether a base waits until the last one is old enough.
    func shipErasures(
        _ course: inout ShippingCourse, _ report: inout ShippingReport, _ isPatient: Bool
    ) async throws {
        let rewrites = store.rewrites
        let isDue = !course.isErasedNoted && !waits(course, isPatient)
        guard course.base != nil, course.rewrites != rewrites || isDue else { return }
        // Content that is being erased is in the records still; the next round looks again.
        guard try await onQueue({ try !$0.owesErasures() }) else { return }
        _ = try await checkedLog(course, upTo: course.base ?? .origin)
        if course.rewrites != rewrites {
            let head = course.head
            let ledger = try await onQueue { try $0.erasureLedger().limited(upTo: head) }
            let erased = ledger.difference(from: course.ledger)
            // Also if nothing new was erased: a copy repeats erasures by events that the ledger does not cover.
            try await put(ledger, &course)
            course.isErasedNoted = false
            if erased.isSomething {
                try await remove(erased, &course, &report)
                try await shipPage(&course, report)
            }
            (course.ledger, course.rewrites) = (ledger, rewrites)
        }
        guard !waits(course, isPatient) else { return }
        if course.owesBase { try await shipBase(&course, &report, isWanted: true) }
        try await noteErased(&course)
    }

    /// Whether words stay in a base, which is too new to be replaced for them.
    private func waits(_ course: ShippingCourse, _ isPatient: Bool) -> Bool {
        guard course.owesBase, isPatient, let baseTime else { return false }
        return baseTime.duration(to: .now) < options.erasureInterval
    }

    /// Puts the ledger of a store whose place has none of the words that it names.
    func put(_ ledger: ErasureLedger, _ rewrites: Int, _ course: inout ShippingCourse) async throws {
        try await put(ledger, &course)
        (course.ledger, course.rewrites) = (ledger, rewrites)
        try await noteErased(&course)
    }

    private func put(_ ledger: ErasureLedger, _ course: inout ShippingCourse) async throws {
        course.ledgerNumber += 1
        let name = ObjectName.erasures(of: course.storeName)
        try await carrier.replace(name + ObjectName.number(course.ledgerNumber), with: Array(ledger.json.utf8))
        for old in try await carrier.objects(name) where ObjectName.lastNumber(of: old) != course.ledgerNumber {
            try await carrier.remove(old)
        }
    }

    private func noteErased(_ course: inout ShippingCourse) async throws {
        let note = try SealedJSON.encode(ErasedNote(ledger: course.ledgerNumber))
        try await carrier.replace(ObjectName.erased(of: course.storeName), with: note)
        course.isErasedNoted = true
    }

    private func remove(
        _ erased: ErasureLedger.Difference, _ course: inout ShippingCourse, _ report: inout ShippingReport
    ) async throws {
        report.hasErased = true
        let base = course.base ?? .origin
        if erased.hasValues || erased.positions.contains(where: { $0.lowerBound <= base }) { course.owesBase = true }
        var cut: [ShippedLog.Segment] = []
        for (index, segment) in course.segments.enumerated() {
            let next = index + 1 < course.segments.count ? course.segments[index + 1].first : nil
            let last = next.map { Position($0.rawValue - 1) } ?? course.head
            // A segment begins with the event before it.
            let range = Position(segment.first.rawValue - 1)...max(segment.first, last)
            guard erased.hasValues || erased.positions.contains(where: { $0.overlaps(range) }) else { continue }
            if try await !replace(segment, range, &report) { cut.append(segment) }
        }
        guard !cut.isEmpty else { return }
        // Before they are removed: without it nothing would continue where they were.
        try await shipBase(&course, &report, isWanted: true)
        for segment in cut { try await carrier.remove(segment.name) }
        course.segments.removeAll { cut.contains($0) }
    }

    /// Puts a segment as the store has it now.
    ///
    /// - Returns: false if its events were cut off, so that there is no such segment any more.
    private func replace(
        _ segment: ShippedLog.Segment, _ range: ClosedRange<Position>, _ report: inout ShippingReport
    ) async throws -> Bool {
        do {
            let new = try await onQueue { try $0.segment(after: range.lowerBound, upTo: range.upperBound, limit: .max) }
            guard let new, new.last == range.upperBound else {
                throw StoreError(.carrierFailed, "the place changed meanwhile", path: segment.name)
            }
            try await carrier.replace(segment.name, with: new.bytes)
            report.segments += 1
            report.bytes += new.bytes.count
            return true
        } catch let error as StoreError where error.code == .positionCut {
            return false
        }
    }
}
