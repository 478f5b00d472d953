export { applyChanges, beginNewLog, type ApplyRequest, type Moment } from './backup/applyChanges.js';
export { exportChanges, type ExportOutcome, type ExportRequest } from './backup/exportChanges.js';
export { readCopiedCollection, type CopiedCollection } from './backup/readCopiedCollection.js';
export { copyInThread } from './backup/copyInThread.js';
export type { CollectionContent, DatabaseContent } from './backup/copyDatabase.js';
export { createSqliteEngine, SqliteEngine, type SqliteEngineOptions } from './SqliteEngine.js';
export type { HistoryOptions } from './writer/HistoryOptions.js';
export { DATABASE_NAME } from './directory/acquireDataDirectory.js';
export { inspectDataDirectory } from './directory/inspectDataDirectory.js';
