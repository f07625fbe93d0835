import Foundation
import MessageStore
import Testing
@testable import MessageStoreTestSupport

@Suite("I2, I3: a log that is older than its views")
struct RolledBackLogTests {
    private let manager = FileManager.default

    /// A store whose log was put back to how it was before the last events, and whose views were not.
    private func rolledBack(appending event: Event? = nil) throws -> TemporaryStore {
        let place = try TemporaryStore()
        try place.withStore { try $0.record(received("a", at: 1), received("b", at: 2)) }
        try manager.copyItem(atPath: place.path + "/log", toPath: place.directory + "/log")
        try place.withStore { try $0.record([received("c", at: 3)]) }
        try manager.removeItem(atPath: place.path + "/log")
        try manager.moveItem(atPath: place.directory + "/log", toPath: place.path + "/log")
        if let event {
            let views = place.directory + "/views"
            try manager.moveItem(atPath: place.path + "/views", toPath: views)
            try place.withStore { try $0.record([event]) }
            try manager.removeItem(atPath: place.path + "/views")
            try manager.moveItem(atPath: views, toPath: place.path + "/views")
        }
        return place
    }

    @Test("is damage of the log, for writers and readers, whether it ends sooner or holds another event there")
    func refused() throws {
        for event in [nil, received("d", at: 4)] {
            let place = try rolledBack(appending: event)
            for _ in 0..<2 {
                expectError(.logRolledBack) { _ = try place.open() }
                expectError(.logRolledBack) { _ = try place.openReadOnly() }
            }
        }
    }

    @Test("is opened where the host accepts that events are lost; the views are made anew")
    func accepted() throws {
        let place = try rolledBack()
        let store = try place.open { $0.durability.allowsRollback = true }
        #expect(try store.texts() == ["a", "b"])
        try store.record([received("d", at: 4)])
        try store.close()
        try place.withStore { store throws in
            #expect(try store.texts() == ["a", "b", "d"])
            #expect(try store.isConsistent())
        }
    }

    @Test("a redacted last event is no rollback")
    func redacted() throws {
        let place = try TemporaryStore()
        try place.withStore { try $0.record(received("a", at: 1), received("b", at: 2)) }
        try place.withStore { try $0.redact(Position(2)) }
        try place.openReadOnly().close()
        try place.withStore { store throws in #expect(try store.page().elements.map(\.isRedacted) == [false, true]) }
    }
}
