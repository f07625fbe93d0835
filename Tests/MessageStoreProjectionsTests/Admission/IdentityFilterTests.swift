import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I4: the filter of identities") struct IdentityFilterTests {
    private let fixture: AdmissionFixture

    init() throws { fixture = try AdmissionFixture() }

    @Test("it denies no key that was inserted, and takes fewer than one in ten thousand others for known")
    func errors() throws {
        let filter = try IdentityFilter(fixture.views.snapshot(), in: nil)
        var random = SplitMix64(seed: 1)
        func key() -> IdentityKey {
            IdentityKey(high: random.next(), low: UInt32(truncatingIfNeeded: random.next()))
        }
        // More than fill the first part of it.
        let known = (0..<300_000).map { _ in key() }
        for key in known { filter.insert(key) }
        #expect(known.count { filter.mayContain($0) } == known.count)
        let errors = (0..<100_000).count { _ in filter.mayContain(key()) }
        #expect(errors < 10)
    }

    @Test("its large parts lie in files without names, or it takes more keys in memory", arguments: [true, false])
    func files(isThere: Bool) throws {
        try withTemporaryDirectory { path in
            let filter = IdentityFilter(
                in: isThere ? path : path + "/missing", capacities: [1 << 6, 1 << 8, 1 << 10, 1 << 12, 1 << 14])
            var random = SplitMix64(seed: 2)
            let known = (0..<16_000).map { _ in IdentityKey(high: random.next(), low: 0) }
            for key in known { filter.insert(key) }
            #expect(known.count { filter.mayContain($0) } == known.count)
            let errors = (0..<10_000).count { _ in filter.mayContain(IdentityKey(high: random.next(), low: 0)) }
            #expect(isThere ? errors < 20 : errors > 20)
            let names = try FileSystem.names(in: path)
            #expect(names.isEmpty)
        }
    }

    /// Where the call that records it fails after the commit, nothing else is noted.
    @Test("a batch whose identities were noted is known when it comes again, whatever failed behind its commit")
    func failedBehindCommit() throws {
        try fixture.makeFilter()
        let events = [AdmissionFixture.received("a"), AdmissionFixture.received("b")]
        let admitted = try fixture.admit(events)
        fixture.noteClaims(of: admitted)
        try fixture.log.commit(admitted.prepared)
        let again = try fixture.admit(events)
        #expect(again.known == [0, 1])
        #expect(again.positions == admitted.positions)
        // What was taken back is looked up in vain, and recorded when it comes again.
        let other = [AdmissionFixture.received("c")]
        fixture.noteClaims(of: try fixture.admit(other))
        #expect(try fixture.admit(other).known.isEmpty)
    }
}
