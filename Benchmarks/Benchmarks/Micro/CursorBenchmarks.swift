internal import Benchmark
internal import MessageStoreBenchmarkSupport

/// Merged rows of 100,000 messages' timelines with none, half and all of them buffered, and LMDB's rows below.
func registerCursorBenchmarks() {
    for (name, step) in [("nothing buffered", 0), ("half buffered", 2), ("all buffered", 1)] {
        let setup = { try RowCursorExercise(eventCount: 100_000, bufferingEvery: step) }
        Benchmark(
            "Merged cursor, \(name): walk",
            closure: { _, exercise in blackHole(try exercise.walk(operations)) },
            setup: setup)
        Benchmark(
            "Merged cursor, \(name): walk backwards",
            closure: { _, exercise in blackHole(try exercise.walkBackwards(operations)) },
            setup: setup)
        Benchmark(
            "Merged cursor, \(name): page of 20 rows",
            configuration: .init(scalingFactor: .one),
            closure: { _, exercise in blackHole(try exercise.walkBackwards(20)) },
            setup: setup)
        Benchmark(
            "Merged rows, \(name): look up",
            closure: { _, exercise in blackHole(try exercise.lookUp(operations)) },
            setup: setup)
    }
    let setup = { try TableCursorExercise(rowCount: 100_000) }
    Benchmark(
        "LMDB: look up",
        closure: { _, exercise in blackHole(try exercise.lookUp(operations)) },
        setup: setup)
    Benchmark(
        "LMDB: walk",
        closure: { _, exercise in blackHole(try exercise.walk(operations)) },
        setup: setup)
}
