package import MessageStoreLMDB

extension StoreError {
    /// Runs `body` and translates the errors of the layers below into ``StoreError``.
    ///
    /// Errors of other types, such as a host's own, pass through.
    package static func translating<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LMDBError {
            throw StoreError(error)
        } catch let error as FileError {
            throw StoreError(error)
        }
    }

    package init(_ error: LMDBError) {
        let code: Code =
            switch error.code {
            case .alreadyOpen: .alreadyOpen
            case .readersFull: .tooManyReaders
            case .panic: .mustReopen
            case _ where error.isDamage: error.isInCache ? .viewsDamaged : .logDamaged
            case _ where error.code.rawValue > 0: Self.code(ofErrno: error.code.rawValue)
            default: .inputOutput
            }
        let isOutOfMemory = error.code.rawValue == ENOMEM
        self.init(
            code,
            error.description + (isOutOfMemory ? "; a smaller mapBytes needs less address space" : ""), path: error.path
        )
    }

    package init(_ error: FileError) {
        self.init(Self.code(ofErrno: error.errno), error.description, path: error.path)
    }

    private static func code(ofErrno number: Int32) -> Code {
        switch number {
        case ENOENT: .storeMissing
        case ENOSPC, EDQUOT, EFBIG: .diskFull
        case EACCES, EPERM, EROFS: .permissionDenied
        case ENOTDIR, ELOOP: .notAStore
        default: .inputOutput
        }
    }
}
