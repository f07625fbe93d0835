internal import Benchmark

/// The benchmarks of the layers below the store; figures are for one event or row, but for pages.
///
/// Run them with `swift package --package-path Benchmarks --disable-sandbox benchmark --target Micro`; `--filter` takes
/// a regular expression of names.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .init(
        metrics: [.wallClock, .throughput], warmupIterations: 5, scalingFactor: .kilo, maxDuration: .seconds(3),
        maxIterations: 100_000)
    registerCodecBenchmarks()
    registerWriteBufferBenchmarks()
    registerCursorBenchmarks()
}

/// How many events or rows an iteration has: what the scaling factor `.kilo` divides by.
let operations = 1_000
