internal import Benchmark
internal import MessageStoreBenchmarkSupport

/// Rows of a write buffer of 100,000, set in three orders of keys.
func registerWriteBufferBenchmarks() {
    let orders: [(name: String, order: RowKeyOrder)] = [
        ("ascending keys", .ascending), ("random keys", .random),
        ("random keys, shared prefix", .randomAfterSharedPrefix),
    ]
    for (name, order) in orders {
        let setup = { try WriteBufferExercise(rowCount: 100_000, order: order) }
        Benchmark(
            "Write buffer, \(name): insert",
            closure: { _, exercise in blackHole(try exercise.insert(operations)) },
            setup: setup)
        Benchmark(
            "Write buffer, \(name): update",
            closure: { _, exercise in exercise.update(operations) },
            setup: setup)
        Benchmark(
            "Write buffer, \(name): look up",
            closure: { _, exercise in blackHole(try exercise.lookUp(operations)) },
            setup: setup)
        Benchmark(
            "Write buffer, \(name): walk",
            closure: { _, exercise in blackHole(try exercise.walk(operations)) },
            setup: setup)
    }
}
