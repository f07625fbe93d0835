/// Copies of the branches on the way to the page that a walk looks at, one for each level of the tree.
final class BranchBuffers {
    private let pageSize: Int
    private var buffers: [UnsafeMutableRawPointer] = []

    init(pageSize: Int) {
        self.pageSize = pageSize
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    /// Keeps a page of a level, the next one below or one that is held already, until another is kept there.
    func keep(_ page: Page, level: Int) -> Page {
        if level == buffers.count { buffers.append(.allocate(byteCount: pageSize, alignment: 16)) }
        buffers[level].copyMemory(from: page.start, byteCount: pageSize)
        return Page(start: UnsafeRawPointer(buffers[level]), size: pageSize)
    }
}
