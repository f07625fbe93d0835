internal import CSystemMemory
internal import Foundation
internal import Synchronization

/// Samples this process's anonymous memory (RssAnon) every 20 ms and keeps the peak.
final class MemorySampler: Sendable {
    private struct State {
        var peak: Int
        var isStopped = false
    }

    private let state: Mutex<State>
    private let start: Int?

    init() {
        // Memory that was freed before must not hide what is allocated from now on.
        system_trim_memory()
        start = ProcessFiles.anonymousMemory()
        state = Mutex(State(peak: start ?? 0))
        Thread.detachNewThread { [weak self] in
            while let self, self.sample() { Thread.sleep(forTimeInterval: 0.02) }
        }
    }

    /// Answers whether to go on.
    private func sample() -> Bool {
        let now = ProcessFiles.anonymousMemory() ?? 0
        return state.withLock { state in
            guard !state.isStopped else { return false }
            state.peak = max(state.peak, now)
            return true
        }
    }

    /// The bytes by which the peak so far is above the start; nil where the system does not tell.
    var growth: Int? {
        _ = sample()
        return state.withLock { state in start.map { state.peak - $0 } }
    }

    /// The same at the end of the measurement.
    func stop() -> Int? {
        defer { state.withLock { $0.isStopped = true } }
        return growth
    }
}
