import MessageStore
import MessageStoreBenchmarkSupport
import Testing

@Suite("Exercises of the layers below the store")
struct LayerExerciseTests {
    @Test("decoding what was encoded gives the events again, and every encoding has as many bytes")
    func codec() throws {
        let exercise = try RecordCodecExercise(eventCount: 3_000)
        #expect(exercise.events.count > 2_900)
        var decoded: [Event] = []
        #expect(try exercise.decode { decoded.append($0) } == exercise.events.count)
        for (decoded, event) in zip(decoded, exercise.events) {
            #expect(AnyHashable(decoded.payload) == AnyHashable(event.payload))
            #expect(decoded.conversation == event.conversation)
            #expect(decoded.id == event.id && decoded.origin == event.origin)
            // A message's record has its sent time as the server's.
            if let message = event.payload as? MessageReceived {
                #expect(decoded.serverTime == message.sentTime)
            } else {
                #expect(decoded.serverTime == event.serverTime)
            }
        }
        #expect(exercise.verify() == exercise.events.count)
        // The header alone has 64 bytes.
        let bytes = try exercise.encode()
        #expect(bytes > exercise.events.count * 64)
        #expect(try exercise.encode() == bytes)
    }

    @Test("the write buffer finds and walks every row, whatever the order of setting", arguments: RowKeyOrder.allCases)
    func writeBuffer(order: RowKeyOrder) throws {
        let exercise = try WriteBufferExercise(rowCount: 10_000, order: order)
        #expect(exercise.rowCount == 10_000)
        exercise.update(10_000)
        #expect(try exercise.lookUp(10_000) == 10_000)
        #expect(try exercise.lookUp(15_000) == 15_000)
        #expect(try exercise.walkAll() == 10_000)
        #expect(try exercise.walk(25_000) == 25_000)
    }

    @Test("a growing buffer has the rows inserted so far, and a new one follows a full one")
    func growing() throws {
        let exercise = try WriteBufferExercise(rowCount: 1_000, order: .random)
        #expect(try exercise.walkInserted() == 0)
        #expect(try exercise.insert(700) == 700)
        #expect(try exercise.walkInserted() == 700)
        #expect(try exercise.insert(300) == 1_000)
        #expect(try exercise.walkInserted() == 1_000)
        #expect(try exercise.insert(10) == 10)
        #expect(try exercise.walkInserted() == 10)
    }

    @Test("the merged cursor meets each row once, stored or buffered", arguments: [0, 1, 2, 7])
    func mergedCursor(step: Int) throws {
        let exercise = try RowCursorExercise(eventCount: 3_000, bufferingEvery: step)
        #expect(exercise.rowCount > 2_800)
        #expect(exercise.bufferedCount == (step == 0 ? 0 : (exercise.rowCount + step - 1) / step))
        #expect(try exercise.walkAll() == exercise.rowCount)
        #expect(try exercise.walk(10_000) == 10_000)
        #expect(try exercise.walkBackwards(10_000) == 10_000)
        #expect(try exercise.lookUp(10_000) == 10_000)
    }

    @Test("the table's cursor meets each row once, and every row is found")
    func tableCursor() throws {
        let exercise = try TableCursorExercise(rowCount: 5_000)
        #expect(try exercise.walkAll() == 5_000)
        #expect(try exercise.lookUp(12_000) == 12_000)
        #expect(try exercise.walk(12_000) == 12_000)
    }

    @Test("the smallest sizes have one row")
    func smallest() throws {
        let buffer = try WriteBufferExercise(rowCount: 0, order: .ascending)
        #expect(try buffer.insert(3) == 1 && buffer.lookUp(3) == 3 && buffer.walk(3) == 3)
        let merged = try RowCursorExercise(eventCount: 0, bufferingEvery: 1)
        #expect(try merged.rowCount == 1 && merged.walkBackwards(3) == 3)
        let table = try TableCursorExercise(rowCount: 0)
        #expect(try table.lookUp(3) == 3 && table.walk(3) == 3)
    }
}
