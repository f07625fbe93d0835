internal import ArgumentParser

/// Options that say which events are synced.
struct WorkloadOptions: ParsableArguments {
    @Flag(help: "The stress workload: many conversations in random order, random ids, many repeats.")
    var stress = false

    @Option(
        help:
            "A real chat log, or one that `messagestore export` wrote, plain or gzip, instead of the generated workload."
    )
    var log: String?

    var workload: Workload { log.map { .log($0) } ?? (stress ? .stress : .fitted) }
}
