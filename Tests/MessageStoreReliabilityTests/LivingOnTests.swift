#if os(Linux)
import Foundation
import MessageStore
import MessageStoreModel
import MessageStoreWorkload
import Testing

@Suite(
    "Stores that live on after a cut", .serialized, .timeLimit(.minutes(60)),
    .enabled(if: FaultShim.path != nil, "no C compiler"))
struct LivingOnTests {
    private static let killsPerStore = 20

    @Test(
        "I1, I2, I4, I14, I16: kills after, and within, cuts, erasures and compactions lose nothing that was acknowledged"
    )
    func kills() throws {
        let tries = Battery.tries(plain: 2, short: 30, long: 600)
        var figures = (tries: 0, pastCut: 0, cuts: 0, erasures: 0)
        var random = SplitMix64(seed: Battery.seed)
        while figures.tries < tries {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/store"
            let seed = random.next() % 10_000
            let first = try ChildProcess(["append-compacting", path, "\(seed)", "60"], untilReady: false)
            #expect(try first.wait(limit: 600) == .exited(0))
            var acknowledged = first.acknowledged.max() ?? 0
            var history: CrashHistory?
            var stream = CrashStream(seed: seed)
            for round in 1...min(Self.killsPerStore, tries - figures.tries) {
                let call = 1 + random.nextIndex(400)
                let child = try ChildProcess(
                    ["append-compacting", path, "\(seed)"],
                    environment: FaultShim.environment(under: directory.path, .kill, at: call), untilReady: false)
                #expect(try child.wait() == .killed(signal: SIGKILL), "seed \(seed), kill \(round)")
                acknowledged = max(acknowledged, child.acknowledged.max() ?? 0)
                let store = try MessageStore.open(
                    path, account: RandomEvents.account, configuration: CrashStream.configuration)
                history = try KillTests.check(store, path, &stream, acknowledged, "seed \(seed), kill \(round)")
                if random.chance(0.2) { #expect(try store.verify().isConsistent, "seed \(seed), kill \(round)") }
                try store.close()
                figures.tries += 1
                if history?.cuts.isEmpty == false { figures.pastCut += 1 }
            }
            figures.cuts += history?.cuts.count ?? 0
            figures.erasures += history?.erasures.count ?? 0
        }
        #expect(figures.pastCut >= tries / 2)
        Battery.report(
            "kills past cuts",
            [
                ("tries", figures.tries), ("past a cut", figures.pastCut), ("cuts", figures.cuts),
                ("erasures", figures.erasures),
            ])
    }

    @Test(
        "I1, I2, I4, I14, I16: what was acknowledged survives power losses after cuts, erasures and compactions")
    func powerLosses() throws {
        let figures = try PowerLossTests.tryStates(
            Battery.tries(plain: 4, short: 100, long: 2_000), ignoresFlushes: false,
            command: ("append-compacting", 60), isPastCut: true)
        for failure in figures.failures.prefix(5) { Issue.record("\(failure)") }
        #expect(figures.failures.isEmpty && figures.cuts > figures.states / 2)
        Battery.report(
            "power loss past cuts",
            [
                ("states", figures.states), ("past a cut", figures.cuts), ("past an erasure", figures.erasures),
                ("bad", figures.failures.count),
            ])
    }
}
#endif
