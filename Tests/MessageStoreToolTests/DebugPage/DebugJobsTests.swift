import Foundation
import MessageStoreLMDB
import Testing

@testable import MessageStoreTool

@Suite("Questions that are answered in the background", .timeLimit(.minutes(30)))
struct DebugJobsTests {
    private struct Refusal: Error, Equatable {}

    /// Work that begins, and goes on until it is let go or given up.
    private final class Work: Sendable {
        private let begun = Locked<[String]>([])
        private let free = Locked<Set<String>>([])
        private let changed = NSCondition()
        /// Each question, when work on it begins.
        let questions: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (questions, continuation) = AsyncStream.makeStream() }

        var beginnings: [String] { begun.withLock { $0 } }

        func finish(_ question: String) {
            changed.withLock {
                free.withLock { _ = $0.insert(question) }
                changed.broadcast()
            }
        }

        func run(_ question: String, _ check: () throws -> Void) throws -> String {
            begun.withLock { $0.append(question) }
            continuation.yield(question)
            try changed.withLock {
                // It checks now and then, as work does between two pieces.
                while !free.withLock({ $0.contains(question) }) {
                    try check()
                    _ = changed.wait(until: Date() + 0.05)
                }
            }
            return question.uppercased()
        }
    }

    private let work = Work()

    private func ask(_ jobs: DebugJobs<String, String>, _ question: String) throws -> String? {
        try jobs.ask(question) { [work] check in try work.run(question, check) }
    }

    private func answer(_ jobs: DebugJobs<String, String>, _ question: String) async throws -> String {
        while true {
            if let answer = try ask(jobs, question) { return answer }
            await jobs.settle()
        }
    }

    @Test("a question that is asked again after others has its answer, not the end of the first search")
    func askedAgain() async throws {
        let jobs = DebugJobs<String, String>(patience: .milliseconds(20))
        for question in ["a", "b", "a"] {
            _ = try ask(jobs, question)
            // Nobody asks until that is given up.
            await jobs.settle()
        }
        work.finish("a")
        #expect(try await answer(jobs, "a") == "A")
        await jobs.close()
    }

    @Test("two pages with a question each do not undo each other's work")
    func twoPages() async throws {
        let jobs = DebugJobs<String, String>(patience: .seconds(3600))
        #expect(try ask(jobs, "a") == nil && ask(jobs, "b") == nil)
        #expect(await work.questions.first { _ in true } == "a")
        for _ in 0..<20 { #expect(try ask(jobs, "a") == nil && ask(jobs, "b") == nil) }
        work.finish("a")
        work.finish("b")
        #expect(try await answer(jobs, "b") == "B")
        #expect(try await answer(jobs, "a") == "A")
        #expect(work.beginnings == ["a", "b"])
        await jobs.close()
    }

    @Test("what nobody asks any more ends, and does not begin")
    func givenUp() async throws {
        let jobs = DebugJobs<String, String>(patience: .milliseconds(50))
        for question in ["a", "b", "c"] { _ = try ask(jobs, question) }
        await jobs.settle()
        work.finish("d")
        #expect(try await answer(jobs, "d") == "D")
        #expect(work.beginnings.last == "d" && !work.beginnings.contains("c"))
        await jobs.close()
    }

    @Test("an error is told once; then it is looked for again")
    func refusal() async throws {
        let jobs = DebugJobs<String, String>(patience: .seconds(3600))
        #expect(try jobs.ask("a") { _ in throw Refusal() } == nil)
        await jobs.settle()
        #expect(throws: Refusal.self) { try jobs.ask("a") { _ in throw Refusal() } }
        work.finish("a")
        #expect(try await answer(jobs, "a") == "A")
        await jobs.close()
    }

    @Test("the last answers are kept, earlier ones are not")
    func kept() async throws {
        let jobs = DebugJobs<String, String>(patience: .seconds(3600))
        let questions = (0...DebugJobs<String, String>.kept).map { "q\($0)" }
        for question in questions {
            work.finish(question)
            #expect(try await answer(jobs, question) == question.uppercased())
        }
        #expect(try ask(jobs, questions[1]) != nil)
        #expect(try ask(jobs, questions[0]) == nil)
        await jobs.close()
    }

    @Test("closing waits until the work has ended, and nothing begins after it")
    func closing() async throws {
        let jobs = DebugJobs<String, String>(patience: .seconds(3600))
        for question in ["a", "b"] { _ = try ask(jobs, question) }
        #expect(await work.questions.first { _ in true } == "a")
        await jobs.close()
        #expect(work.beginnings == ["a"])
        #expect(throws: CancellationError.self) { try ask(jobs, "c") }
    }

    @Test("work that blocks holds up nobody else")
    func blocking() async throws {
        let jobs = (0..<16).map { _ in DebugJobs<String, String>(patience: .seconds(3600)) }
        for job in jobs { _ = try ask(job, "a") }
        var begun = 0
        for await _ in work.questions {
            begun += 1
            if begun == jobs.count { break }
        }
        for job in jobs { await job.close() }
    }
}
