import Foundation
import MessageStoreLMDB
import MessageStoreModel
import MessageStoreSearch
import MessageStoreTestKit
import Testing

@testable import MessageStore

@Suite("Search: erasures while the index follows", .timeLimit(.minutes(30)))
struct SearchRaceTests {
    @Test("what is being erased is not indexed meanwhile", arguments: [false, true])
    func foldDuringErasure(isNew: Bool) throws {
        let place = try TemporaryStore()
        let fault = Locked<(@Sendable () -> Void)?>(nil)
        let store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
            configuration.automaticCompaction = nil
            configuration.commitFault = { fault.withLock { $0.take() }?() }
        }
        if !isNew {
            try store.record(.received("a", from: "bob", in: SearchStore.chat, at: nil, content: .text("first")))
            try catchUp(store)
        }
        let secret = try #require(
            try store.record(
                .received("b", from: "bob", in: SearchStore.chat, at: nil, content: .text(FileHunt.secret))
            ).position)
        try store.flush()
        let done = DispatchSemaphore(value: 0)
        fault.withLock { fault in
            fault = {
                let thread = Thread {
                    try? catchUp(store)
                    done.signal()
                }
                thread.start()
                // Where the index waits for the erasure, this is in vain.
                if done.wait(timeout: .now() + .milliseconds(TestSize.of(plain: 250, full: 1_000))) == .success {
                    done.signal()
                }
            }
        }
        try store.redact(secret)
        done.wait()
        #expect(fault.withLock { $0 == nil })
        try store.compact()
        #expect(try FileHunt.counts(in: place.path) == [:])
        try catchUp(store)
        #expect(try store.position(of: SearchIndex.id) == store.lastPosition())
        try store.close()
    }

    @Test("a message that one erasure left with words keeps them in the index when another erasure follows at once")
    func twoErasures() throws {
        let place = try TemporaryStore()
        let store = try place.open { configuration in
            configuration.laggingProjections = [SearchIndex()]
            configuration.clock = ManualClock()
        }
        let follower = try store.lagging[SearchIndex.id]
        // Two runs, so that cleaning them takes two pieces of work.
        var locals: [LocalMessageID] = []
        for round in 0..<2 {
            for name in ["a", "b"] {
                let position = try store.record(
                    .received(
                        ServerMessageID("\(name)\(round)"), from: "bob", in: SearchStore.chat, at: nil,
                        content: .text("old \(name)\(round)"))
                ).position
                locals.append(LocalMessageID(try #require(position).rawValue))
            }
            try catchUp(store)
        }
        var verdicts: [Position] = []
        for local in locals {
            let content = MessageContent.text("verdict \(local)")
            verdicts.append(
                try #require(
                    try store.record(
                        Event(MessageFiltered(.local(local), verdict: .replace(content)), in: SearchStore.chat)
                    ).position))
        }
        try catchUp(store)
        for local in locals {
            try store.record(Event(MessageFiltered(.local(local), verdict: .keep), in: SearchStore.chat))
        }
        try catchUp(store)
        #expect(try store.search(SearchQuery("old")).elements.count == 4)
        // The messages keep their own words.
        for verdict in verdicts {
            try store.redact(verdict)
            _ = try follower.step(store, atLeast: 1_000)
        }
        #expect(try store.search(SearchQuery("old")).elements.count == 4)
        try catchUp(store)
        #expect(try store.search(SearchQuery("old")).elements.count == 4)
        #expect(try store.search(SearchQuery("verdict")).elements.isEmpty)
        try store.close()
    }
}
