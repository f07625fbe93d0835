import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("D4–D8, E4, d24: messages raised one by one")
struct PackageCollectorTests {
    private var collector = PackageCollector()

    private func message(_ number: Int) -> Event {
        received(ServerMessageID("m\(number)"), at: Int64(number), origin: .local)
    }

    @Test("D5: a live message is to be recorded at once, also between those of a package")
    mutating func live() {
        let first = collector.add(message(1), left: 1, isOffline: true, hasPackage: false)
        #expect(first.live == nil && first.package == nil && !first.isSyncComplete)
        let live = collector.add(message(2), left: 0, isOffline: false, hasPackage: false)
        #expect(live.live?.origin == .live && live.package == nil && !live.isSyncComplete)
        let last = collector.add(message(3), left: 0, isOffline: true, hasPackage: false)
        #expect(last.package?.events.map(\.origin) == [.offline, .offline])
    }

    @Test("D4, D6, D8: a package ends where nothing is left of it, the sync where no package follows")
    mutating func packages() throws {
        let place = try TemporaryStore()
        let store = try place.open()
        var completions = 0
        for number in 0..<6 {
            let collected = collector.add(
                message(number), left: 2 - number % 3, isOffline: true, hasPackage: number < 3)
            #expect((collected.package != nil) == (number % 3 == 2))
            if let package = collected.package {
                #expect(package.index == number / 3 && package.hasMore == (number < 3) && package.events.count == 3)
                try store.ingest(package)
            }
            if collected.isSyncComplete { completions += 1 }
        }
        #expect(completions == 1)
        #expect(try store.read { try $0.syncProgress() }.messages == 6)
        #expect(try store.unread().messages == 6)
        #expect(collector.flush(hasMore: false) == nil)
        try store.close()
    }

    @Test("the next sync counts its packages from 0 again")
    mutating func nextSync() {
        for hasPackage in [true, false, false] {
            let collected = collector.add(message(1), left: 0, isOffline: true, hasPackage: hasPackage)
            #expect(collected.isSyncComplete == !hasPackage)
        }
        #expect(collector.add(message(1), left: 0, isOffline: true, hasPackage: true).package?.index == 0)
    }

    @Test("X12, E4: by what is left alone, a package ends with its last message, and one that comes alone is live")
    mutating func leftAlone() {
        #expect(collector.add(message(1), left: 0).live?.origin == .live)
        for left in [2, 1] {
            let held = collector.add(message(4 - left), left: left)
            #expect(held.live == nil && held.package == nil && !held.isSyncComplete)
        }
        let last = collector.add(message(4), left: 0)
        #expect(last.live == nil && last.isSyncComplete)
        #expect(last.package?.hasMore == false && last.package?.index == 0)
        #expect(last.package?.events.map(\.origin) == [.offline, .offline, .offline])
        let live = collector.add(message(5), left: 0)
        #expect(live.live?.origin == .live && live.package == nil && !live.isSyncComplete)
        #expect(collector.flush(hasMore: false) == nil, "nothing is stranded")
    }

    @Test("X12: the last message of a package of which parts were returned before still ends it")
    mutating func leftAloneAndFull() {
        var packages: [OfflinePackage] = []
        for left in (0...PackageCollector.capacity).reversed() {
            let collected = collector.add(message(left), left: left)
            #expect(collected.live == nil && collected.isSyncComplete == (left == 0))
            if let package = collected.package { packages.append(package) }
        }
        #expect(packages.map(\.events.count) == [PackageCollector.capacity, 1])
        #expect(packages.map(\.hasMore) == [true, false] && packages.map(\.index) == [0, 1])
    }

    @Test("d24: a package that never ends is handed out when it is full, and nothing is lost")
    mutating func endlessPackage() {
        var counts: [Int] = []
        for number in 0..<2500 {
            let collected = collector.add(message(number), left: 9, isOffline: true, hasPackage: false)
            #expect(!collected.isSyncComplete)
            if let package = collected.package {
                #expect(package.hasMore)
                counts.append(package.events.count)
            }
        }
        #expect(counts == [1000, 1000])
        #expect(collector.flush(hasMore: true)?.events.count == 500)
        #expect(collector.flush(hasMore: true) == nil)
    }
}
