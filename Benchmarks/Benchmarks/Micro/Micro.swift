internal import Benchmark

/// The benchmarks of the layers below the store; figures are for one event or row.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput], warmupIterations: 5, scalingFactor: .kilo, maxDuration: .seconds(3),
        maxIterations: 100_000)
    registerCodecBenchmarks()
    registerWriteBufferBenchmarks()
    registerCursorBenchmarks()
}

/// How many operations an iteration has: what the scaling factor divides by.
let operations = 1_000
