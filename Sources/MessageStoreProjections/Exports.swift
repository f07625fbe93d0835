@_exported public import MessageStoreLog
