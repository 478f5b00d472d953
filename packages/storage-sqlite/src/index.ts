export { createSqliteEngine, SqliteEngine, type SqliteEngineOptions } from './SqliteEngine.js';
