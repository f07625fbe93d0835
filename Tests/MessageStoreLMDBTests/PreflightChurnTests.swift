import MessageStoreLMDB
import MessageStoreWorkload
import Testing

@Suite struct `Preflight of a healthy data file` {
    private let directory = TemporaryDirectory()
    private var path: String { directory.path }

    @Test("no false alarm after churn", arguments: [1, 2, 3] as [UInt64]) func churn(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var model: [Int: [UInt8]] = [:]
        var fixture: Fixture? = try Fixture.create(path)
        for commit in 1...500 {
            let isPurge = commit % 97 == 0
            try change(fixture, &model, &random, isPurge: isPurge)
            guard commit % 50 == 0 || isPurge else { continue }
            fixture = nil
            fixture = try Fixture.open(path)
            let expected = model.sorted { $0.key < $1.key }.map { Row(key($0.key), $0.value) }
            #expect(try fixture?.rows() == expected, "seed \(seed), commit \(commit)")
        }
    }

    @Test func `an environment that was created and never written opens again`() throws {
        _ = try Environment(path: path, configuration: .init(access: .create))
        _ = try Environment(path: path, configuration: .init(access: .readOnly))
        _ = try Environment(path: path, configuration: .init(access: .readWrite))
    }

    private func change(
        _ fixture: Fixture?, _ model: inout [Int: [UInt8]], _ random: inout SplitMix64, isPurge: Bool
    ) throws {
        guard let fixture else { return }
        var puts: [Int: [UInt8]] = [:]
        var removals: Set<Int> = []
        if isPurge {
            removals = Set(model.keys.filter { _ in Int.random(in: 0..<10, using: &random) > 0 })
        } else {
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                let number = Int.random(in: 0..<600, using: &random)
                if Int.random(in: 0..<3, using: &random) == 0 {
                    removals.insert(number)
                } else {
                    let length = Int.random(in: 0..<40, using: &random) == 0 ? 20_000 : 500
                    puts[number] = [UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: length)
                }
            }
        }
        try fixture.environment.write { transaction in
            for number in removals { try transaction.remove(key(number).span.bytes, in: fixture.table) }
            for (number, value) in puts {
                try transaction.put(value.span.bytes, for: key(number).span.bytes, in: fixture.table)
            }
        }
        for number in removals { model[number] = nil }
        model.merge(puts) { $1 }
    }
}
