import Testing

@testable import MessageStoreLMDB

@Suite("The gate of transactions", .timeLimit(.minutes(30)))
struct TransactionGateTests {
    @Test func `a transaction cannot end on a thread that did not begin it`() async {
        await #expect(processExitsWith: .failure) {
            TransactionGate().leave()
        }
        await #expect(processExitsWith: .failure) {
            let gate = TransactionGate()
            gate.enter()
            try onOtherThread { gate.leave() }
        }
    }

    @Test func `a thread cannot wait for the end of its own transaction`() async {
        await #expect(processExitsWith: .failure) {
            let gate = TransactionGate()
            gate.enter()
            gate.drained {}
        }
    }

    @Test func `a gate that all have left lets the map be changed, and others in again`() {
        let gate = TransactionGate()
        gate.enter()
        gate.enter()
        gate.leave()
        #expect(gate.isHeldByCurrentThread)
        gate.leave()
        #expect(!gate.isHeldByCurrentThread)
        #expect(gate.drained { 7 } == 7)
        gate.enter()
        gate.leave()
    }
}
