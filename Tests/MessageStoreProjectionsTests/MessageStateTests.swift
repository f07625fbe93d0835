import Testing

@_spi(Storage) @testable import MessageStoreLog
@testable import MessageStoreProjections

@Suite("States of messages") struct MessageStateTests {
    @Test("a state comes back from its row", arguments: Seeds.first(1)) func row(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<TestSize.of(plain: 50, full: 500) {
            let state = any(&random)
            let bytes = state.bytes
            #expect(MessageState(bytes.span.bytes) == state, "seed \(seed)")
            let fixedSize = bytes.count - state.serverID.count
            let readable = (0..<fixedSize).filter { MessageState(bytes.span.bytes.extracting(0..<$0)) != nil }
            #expect(readable.isEmpty)
            #expect(MessageState(bytes.span.bytes.extracting(0..<fixedSize)) != nil)
        }
    }

    @Test("a row whose status or verdict is not known is none") func unknownStatusOrVerdict() {
        let bytes = MessageState().bytes
        #expect(MessageState(bytes.span.bytes) == MessageState())
        for offset in [0, 3] {
            var other = bytes
            other[offset] = 0xFF
            #expect(MessageState(other.span.bytes) == nil, "byte \(offset)")
        }
    }

    @Test("d18: joining facts is commutative, associative and idempotent", arguments: Seeds.first(2))
    func join(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<TestSize.of(plain: 1_000, full: 5_000) {
            let (first, second, third) = (parked(&random), parked(&random), parked(&random))
            #expect(joined(first, second) == joined(second, first), "seed \(seed)")
            #expect(joined(joined(first, second), third) == joined(first, joined(second, third)), "seed \(seed)")
            #expect(joined(first, first) == first, "seed \(seed)")
            #expect(joined(joined(first, second), second) == joined(first, second), "seed \(seed)")
        }
    }

    private func joined(_ first: MessageState, _ second: MessageState) -> MessageState {
        var state = first
        state.join(second)
        return state
    }

    /// A state in which every field differs from the others and from a new state's.
    private func any(_ random: inout SplitMix64) -> MessageState {
        var state = MessageState()
        state.status = [.received, .sending, .failed, .sent, .delivered, .read].randomElement(using: &random) ?? .read
        state.flags = MessageState.Flags(rawValue: UInt8(random.below(256)))
        state.userFlags = MessageFlags(rawValue: UInt8(random.below(256)))
        state.verdict = [.none, .keep, .hide, .replace].randomElement(using: &random) ?? .hide
        state.failureCode = Int32(truncatingIfNeeded: random.next())
        state.serverTime = Int64(bitPattern: random.next())
        state.serverID = random.bytes(random.below(255))
        state.contentPosition = random.next()
        state.modifiedTime = Int64(bitPattern: random.next())
        state.deliveredTime = Int64(bitPattern: random.next())
        state.readTime = Int64(bitPattern: random.next())
        state.verdictPosition = random.next()
        state.replacementType = UInt32(truncatingIfNeeded: random.next())
        for index in 0..<UInt8(random.below(256)) { state.attachments.note(random.next(), of: index) }
        state.duplicateOf = random.next()
        return state
    }

    /// A state as facts make it that come before their message; times collide often.
    private func parked(_ random: inout SplitMix64) -> MessageState {
        var state = MessageState()
        state.flags = MessageState.Flags(rawValue: UInt8(random.below(4)))
        if random.below(2) == 0 { state.deliver(at: Int64(1 + random.below(4))) }
        if random.below(2) == 0 { state.read(at: Int64(1 + random.below(4))) }
        if random.below(2) == 0 {
            state.contentPosition = UInt64(1 + random.below(6))
            // One position is one event, with one time.
            state.modifiedTime = Int64(state.contentPosition / 2)
        }
        state.userFlags = MessageFlags(rawValue: UInt8(random.below(8)))
        for index in 0..<UInt8(random.below(3)) where random.below(2) == 0 {
            state.attachments.note(UInt64(1 + random.below(6)), of: index)
        }
        state.verdictPosition = UInt64(random.below(6))
        // One position is one event, with one verdict.
        let verdicts: [(MessageState.Verdict, UInt32)] = [
            (.none, 0), (.keep, 0), (.hide, 0), (.replace, 7), (.keep, 0), (.replace, 9),
        ]
        (state.verdict, state.replacementType) = verdicts[Int(state.verdictPosition)]
        return state
    }
}

@Suite("Ranges and checkpoints") struct RangeAndCheckpointTests {
    @Test("merging touching ranges covers what both cover", arguments: [4] as [UInt64]) func merge(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<3000 {
            let (first, second) = (range(&random), range(&random))
            #expect(first.touches(second) == second.touches(first))
            guard first.touches(second) else { continue }
            var (one, other) = (first, second)
            one.merge(second)
            other.merge(first)
            #expect(one == other, "seed \(seed)")
            for number in 0..<12 as Range<UInt8> {
                let order = order(number)
                #expect(one.contains(order) == (first.contains(order) || second.contains(order)))
            }
        }
    }

    @Test func `a checkpoint comes back, and any other row is none`() {
        var checkpoint = Checkpoint(storeID: (0..<16).map { UInt8($0) }, .builtIn)
        checkpoint.position = Position(.max)
        checkpoint.recordChecksum = 77
        let digests = ViewTable.builtIn.map { UInt64($0.number) &* .max }
        for entry in ProjectionCatalog.builtIn.entries { checkpoint.set(entry, digests: digests) }
        let bytes = checkpoint.bytes
        #expect(Checkpoint(bytes.span.bytes) == checkpoint)
        for length in 0..<bytes.count { #expect(Checkpoint(bytes.span.bytes.extracting(0..<length)) == nil) }
        for offset in bytes.indices {
            var other = bytes
            other[offset] ^= 1
            let read = Checkpoint(other.span.bytes)
            #expect(offset < 4 ? read == nil : read != checkpoint, "offset \(offset)")
        }
    }

    private func range(_ random: inout SplitMix64) -> TimelineRange {
        let ends = [UInt8(random.below(12)), UInt8(random.below(12))].sorted()
        return TimelineRange(
            newest: order(ends[1]), oldest: order(ends[0]), reachesBeginning: random.below(2) == 0,
            reachesEnd: random.below(2) == 0)
    }

    /// The order of a message at a time; it begins with six bytes of time.
    private func order(_ time: UInt8) -> OrderKey { OrderKey([0, 0, 0, 0, 0, time]) }
}
