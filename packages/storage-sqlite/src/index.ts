export { createSqliteEngine, SqliteEngine, type SqliteEngineOptions } from './SqliteEngine.js';
export type { HistoryOptions } from './changeLog/HistoryOptions.js';
