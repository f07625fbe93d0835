internal import Foundation

extension ChatSync.Trial {
    /// Lets a child sync until half of the packages are acknowledged, kills it, opens the files and syncs the rest.
    func resume(_ round: inout ChatSync.Round, _ sizes: RecordSizes) throws -> any SyncPeer {
        let acknowledged = try killChild(sizes)
        let start = ContinuousClock.now
        let subject = try open(sizes)
        try subject.readViews()
        let milliseconds = start.duration(to: .now) / .milliseconds(1)
        let found = try packagesFound(subject, atLeast: acknowledged)
        round.reopening = (milliseconds, acknowledged, found)
        // The client asks for the packages after the last acknowledged one.
        round.run = try SyncRun.measure(
            subject, backlog, from: acknowledged * ChatSync.packageSize, packageSize: ChatSync.packageSize)
        return subject
    }

    /// Answers how many packages the child had acknowledged when it was killed.
    private func killChild(_ sizes: RecordSizes) throws -> Int {
        try JSONEncoder().encode(sizes).write(to: URL(fileURLWithPath: path + "/sizes.json"))
        let child = Process()
        child.executableURL = URL(fileURLWithPath: try KilledStore.executable())
        child.arguments =
            ["chat-sync-child", path, "--peer", peer.rawValue, "--scale", "\(scale)"] + (isSealed ? ["--sealed"] : [])
        let output = Pipe()
        child.standardOutput = output
        try child.run()
        let packages = backlog.count / ChatSync.packageSize
        var acknowledged = 0
        // A byte for each package.
        while acknowledged < packages / 2 {
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { break }
            acknowledged += bytes.count
        }
        kill(child.processIdentifier, SIGKILL)
        acknowledged += try output.fileHandleForReading.readToEnd()?.count ?? 0
        child.waitUntilExit()
        guard acknowledged >= packages / 2 else { throw Failure("\(peer.title): the child that syncs failed") }
        return acknowledged
    }

    /// How many packages the views show; at least those that were acknowledged, and each whole or not at all.
    private func packagesFound(_ subject: any SyncPeer, atLeast acknowledged: Int) throws -> Int {
        guard let found = try subject.digest() else { return acknowledged }
        var recount = Recount(backlog)
        let packages = SyncRun.packages(from: backlog.events(), backlog.count, ChatSync.packageSize)
        for package in packages[..<acknowledged] { package.forEach { recount.add($0) } }
        let expected = recount.digest
        for count in acknowledged...packages.count {
            if recount.digest == found { return count }
            if count < packages.count { packages[count].forEach { recount.add($0) } }
        }
        throw WrongViews(
            peer: "\(peer.title), killed after \(acknowledged) packages,", expected: expected, found: found)
    }
}
