internal import MessageStoreLMDB

/// Places for the files of exercises.
enum ExerciseDirectory {
    /// Runs `body` with a new directory and removes it at the end.
    ///
    /// The files that `body` opened there stay open and usable, so an exercise leaves no files, however its process
    /// ends.
    static func with<Result: ~Copyable>(_ body: (String) throws -> Result) throws -> Result {
        let path = FileSystem.temporaryDirectory + "/messagestore-exercise-\(UInt64.random(in: .min ... .max))"
        try FileSystem.createDirectory(path)
        defer { try? FileSystem.remove(path) }
        return try body(path)
    }
}
