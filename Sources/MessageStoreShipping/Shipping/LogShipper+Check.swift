extension LogShipper {
    /// Whether somebody removed what the place had, as where a disk was unmounted.
    func isGone(_ course: ShippingCourse) async throws -> Bool {
        guard course.seenTime.duration(to: .now) >= options.presenceInterval else { return false }
        self.course?.seenTime = .now
        return try await carrier.get(ObjectName.first) == nil
    }

    /// The name of an object that cannot be restored; nil if all can, or the place was compared before.
    func findDamage(_ course: ShippingCourse) async throws -> String? {
        // A place without a base gets one now.
        guard options.checksPlace, !isChecked, course.base != nil else { return nil }
        var damage: String?
        do {
            if try await LogRestorer(from: carrier).check() < course.head { damage = ObjectName.logs }
        } catch let error as StoreError where [.segmentDamaged, .segmentMissing, .storeMissing].contains(error.code) {
            damage = error.path ?? ObjectName.logs
        }
        isChecked = true
        return damage
    }

    /// Runs `body`, and removes each damaged object on which it fails: the store has what such an object had.
    ///
    /// - Throws: What `body` throws, where other stores have shipped to the place: a damaged object may be the end of this
    ///   store's log.
    func removingDamage<Result>(_ body: () async throws -> Result) async throws -> Result {
        var removed: Set<String> = []
        while true {
            do { return try await body() } catch let error as StoreError where error.code == .segmentDamaged {
                let own = ObjectName.log(of: store.storeName)
                guard let name = error.path, ObjectName.isOwn(name), removed.insert(name).inserted,
                    try await carrier.objects(ObjectName.logs).allSatisfy({ $0.hasPrefix(own) })
                else { throw error }
                try await carrier.remove(name)
                removedObject = name
            }
        }
    }
}
