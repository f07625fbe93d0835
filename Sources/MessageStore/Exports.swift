@_exported public import MessageStoreLog
@_exported public import MessageStoreProjections
