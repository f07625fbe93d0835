import Foundation
import MessageStoreShipping
import MessageStoreTestCarriers
import MessageStoreTestKit
import Testing

/// What every carrier must do, on an empty place.
struct CarrierChecks {
    /// Another value for the same place, as another process has it.
    let open: () async throws -> any Carrier

    /// - Parameter withRivals: Whether several put under one name at a time.
    func run(withRivals: Bool = true) async throws {
        try await objects()
        try await listing()
        if withRivals { try await rivals() }
        try await large()
    }

    private func objects() async throws {
        let carrier = try await open()
        #expect(try await carrier.get("a/one") == nil)
        #expect(try await carrier.put([1, 2, 3], ifAbsent: "a/one"))
        #expect(try await !carrier.put([4], ifAbsent: "a/one"))
        #expect(try await carrier.get("a/one") == [1, 2, 3])
        #expect(try await carrier.put([], ifAbsent: "a/empty"))
        #expect(try await carrier.get("a/empty") == [])
        try await carrier.replace("a/one", with: [5, 6])
        try await carrier.replace("a/two", with: [7])
        #expect(try await open().get("a/one") == [5, 6])
        #expect(try await open().get("a/two") == [7])
        #expect(try await !open().put([8], ifAbsent: "a/two"))
        try await carrier.remove("a/one")
        try await carrier.remove("a/one")
        #expect(try await carrier.get("a/one") == nil)
        #expect(try await open().put([9], ifAbsent: "a/one"))
        #expect(try await carrier.get("a/one") == [9])
        for name in ["", "/", "a//b", "a/", "/a", "..", "a/../b", "a b", "ä", String(repeating: "a", count: 201)] {
            await #expect(throws: StoreError.self) { try await carrier.get(name) }
            await #expect(throws: StoreError.self) { try await carrier.put([1], ifAbsent: name) }
        }
        for name in ["a/one", "a/two", "a/empty"] { try await carrier.remove(name) }
        #expect(try await open().list("", after: nil) == [])
    }

    private func listing() async throws {
        let carrier = try await open()
        let names = ["b/1", "b/10", "b/2", "b/x/1", "b-1", "b/3"]
        for name in names { #expect(try await carrier.put(Array(name.utf8), ifAbsent: name)) }
        #expect(try await carrier.list("b/", after: nil) == ["b/1", "b/10", "b/2", "b/3", "b/x/1"])
        #expect(try await open().list("b/1", after: nil) == ["b/1", "b/10"])
        #expect(try await open().list("b/", after: "b/10") == ["b/2", "b/3", "b/x/1"])
        #expect(try await open().list("b/", after: "b/z") == [])
        #expect(try await open().list("", after: nil) == ["b-1", "b/1", "b/10", "b/2", "b/3", "b/x/1"])
        for name in names { try await carrier.remove(name) }
        #expect(try await carrier.list("", after: nil) == [])
    }

    /// Of many that put under one name, exactly one succeeds, and its object is whole.
    private func rivals() async throws {
        for round in 0..<10 {
            let winners = try await withThrowingTaskGroup(of: UInt8?.self) { group in
                for rival in 0..<4 as Range<UInt8> {
                    let carrier = try await open()
                    group.addTask {
                        let bytes = [UInt8](repeating: rival, count: 10_000)
                        return try await carrier.put(bytes, ifAbsent: "c/\(round)") ? rival : nil
                    }
                }
                return try await group.reduce(into: [UInt8]()) { if let rival = $1 { $0.append(rival) } }
            }
            #expect(winners.count == 1)
            #expect(try await open().get("c/\(round)") == winners.first.map { [UInt8](repeating: $0, count: 10_000) })
        }
        #expect(try await open().list("c/", after: nil).count == 10)
        for round in 0..<10 { try await open().remove("c/\(round)") }
    }

    private func large() async throws {
        let carrier = try await open()
        let bytes = (0..<carrier.objectSize).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        #expect(try await carrier.put(bytes, ifAbsent: "d/large"))
        #expect(try await open().get("d/large") == bytes)
        try await carrier.replace("d/large", with: Array(bytes.reversed()))
        #expect(try await open().get("d/large") == Array(bytes.reversed()))
        try await carrier.remove("d/large")
        #expect(try await open().get("d/large") == nil)
    }

    /// More names than a list has.
    func manyObjects(_ count: Int = 2100) async throws {
        let carrier = try await open()
        let names = (0..<count).map { "e/" + String($0 + 10_000) }
        for name in names { #expect(try await carrier.put([1], ifAbsent: name)) }
        let first = try await open().list("e/", after: nil)
        #expect(!first.isEmpty && first.count <= CarrierLimits.page)
        #expect(try await open().all("e/") == names)
    }
}
