import type { LogFile, LogFileOptions } from './LogFile.js';

/** The file of a change log, closed. Its code is loaded now: servers on this engine have no such file. */
export async function createLogFile(options: LogFileOptions): Promise<LogFile> {
  const { LogFile: Loaded } = await import('./LogFile.js');
  return new Loaded(options);
}
