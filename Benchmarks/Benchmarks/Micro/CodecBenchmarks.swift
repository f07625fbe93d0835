internal import Benchmark
internal import MessageStoreBenchmarkSupport
internal import MessageStoreWorkload

/// Events of the synthetic workload to records and back.
func registerCodecBenchmarks() {
    let setup = { try RecordCodecExercise(eventCount: operations, parameters: .withoutRepeats) }
    Benchmark(
        "Codec: encode",
        closure: { _, exercise in blackHole(try exercise.encode()) },
        setup: setup)
    Benchmark(
        "Codec: verify the checksum",
        closure: { _, exercise in blackHole(exercise.verify()) },
        setup: setup)
    Benchmark(
        "Codec: decode",
        closure: { _, exercise in blackHole(try exercise.decode()) },
        setup: setup)
}

extension WorkloadParameters {
    /// The fitted workload with each event once, so that the number of events is the one asked for.
    static var withoutRepeats: WorkloadParameters {
        var parameters = fitted
        parameters.duplicateShare = 0
        return parameters
    }
}
