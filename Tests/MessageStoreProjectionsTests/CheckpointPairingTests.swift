import MessageStoreLMDB
import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("I3: rows and checkpoint belong together", .timeLimit(.minutes(30)))
struct CheckpointPairingTests {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    private static let storeID = [UInt8](repeating: 1, count: 16)

    private func checkpoint(_ position: UInt64) -> Checkpoint {
        var checkpoint = Checkpoint(storeID: Self.storeID, .builtIn)
        checkpoint.position = Position(position)
        return checkpoint
    }

    /// The stored checkpoint, moved to another position.
    private func checkpoint(_ position: UInt64, _ views: ViewEnvironment) throws -> Checkpoint {
        var checkpoint = try views.environment.read { try views.checkpoint(in: $0) } ?? self.checkpoint(0)
        checkpoint.position = Position(position)
        return checkpoint
    }

    private func layer(from base: UInt64, to position: UInt64) -> RowLayer {
        var layer = RowLayer(position: Position(base))
        layer.position = Position(position)
        return layer
    }

    @Test func `a layer is written over its base and over nothing else`() throws {
        let views = try ViewEnvironment.create(path: path + "/views", storeID: Self.storeID, durability: .none)
        try views.write(layer(from: 0, to: 5), checkpoint(5))
        #expect(try views.checkpoint(writtenAt: Position(5)).position == Position(5))
        for base in [0, 4, 6] as [UInt64] {
            #expect(code { try views.write(layer(from: base, to: 9), checkpoint(9)) } == .viewsDamaged)
        }
        try views.write(layer(from: 5, to: 9), checkpoint(9))
        #expect(code { _ = try views.checkpoint(writtenAt: Position(5)) } == .viewsDamaged)
    }

    @Test func `a layer that is written again changes nothing`() throws {
        let views = try ViewEnvironment.create(path: path + "/views", storeID: Self.storeID, durability: .none)
        var layer = layer(from: 0, to: 5)
        let bytes: [UInt8] = [1, 2, 3]
        bytes.withUnsafeBytes { layer.set(.named("profiles"), $0, $0) }
        try views.write(layer, checkpoint(5))
        let written = try views.checkpoint(writtenAt: Position(5))
        #expect(written.digests(in: .builtIn).contains { $0 != 0 })
        try views.write(layer, checkpoint(5))
        #expect(try views.checkpoint(writtenAt: Position(5)) == written)
    }

    @Test(arguments: [1, 4096]) func `what is written again because the map was full counts once`(pages: Int) throws {
        let views = try ViewEnvironment.create(
            path: path + "/views", storeID: Self.storeID, durability: .none, mapSize: 256 << 10)
        for base in stride(from: 0, to: 12_000, by: 3_000) as StrideTo<UInt64> {
            var layer = layer(from: base, to: base + 3_000)
            for position in base + 1...base + 3_000 {
                let key = IdentityKey(high: position &* 0x9E37_79B9_7F4A_7C15, low: 1)
                layer.setIdentity(key, Position(position))
            }
            try views.write(layer, checkpoint(base + 3_000, views), pages: pages)
            let written = try views.checkpoint(writtenAt: Position(base + 3_000))
            let unlike = try views.environment.read {
                try views.tableUnlike(written, among: [.identities], in: $0)
            }
            #expect(unlike == nil, "up to \(base + 3_000)")
        }
    }

    @Test func `views without a checkpoint that can be read are not read and take no rows`() throws {
        let stored = try ViewEnvironment.create(path: path + "/views", storeID: Self.storeID, durability: .none)
        try stored.write(layer(from: 0, to: 5), checkpoint(5))
        try stored.environment.write { transaction in
            let (key, value) = (Checkpoint.key, [1, 2, 3] as [UInt8])
            try transaction.put(value.span.bytes, for: key.span.bytes, in: stored.tables[ViewTable.builtIn.count])
        }
        let code = code {
            _ = try StoredRows(in: try stored.environment.beginRead(), of: stored)
        }
        #expect(code == .viewsDamaged)
        #expect(self.code { try stored.write(layer(from: 5, to: 9), checkpoint(9)) } == .viewsDamaged)
    }

    @Test func `a checkpoint of another position than its rows stops the process`() async throws {
        await #expect(processExitsWith: .failure) {
            try withTemporaryDirectory { path in
                let storeID = [UInt8](repeating: 1, count: 16)
                let views = try ViewEnvironment.create(path: path + "/views", storeID: storeID, durability: .none)
                var checkpoint = Checkpoint(storeID: storeID, .builtIn)
                checkpoint.position = Position(7)
                try views.write(RowLayer(position: .origin), checkpoint)
            }
        }
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? { storeError(body)?.code }
}
