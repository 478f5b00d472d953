import { denyOthers, type Logger } from '@millrace/kernel';

/**
 * Removes other users' access to a data directory that earlier versions, or an operator, left open: it contains password
 * hashes, secrets and every document. Only the engine's files in it (`millrace.*`) are changed: a data directory may be
 * a folder with other content, such as the current folder of a project. Logs one warning if there was access to remove:
 * it was removed, or could not be.
 */
export function closeToOthers(dataDir: string, log: Logger): void {
  const { closed, refused } = denyOthers(dataDir, (name) => name.startsWith('millrace.'));
  if (refused !== undefined) {
    log.warn(
      { dataDir, reason: refused },
      'the data directory is open to other users of this machine and its permissions could not be changed: make it readable by Millrace alone (0700, files 0600)',
    );
  } else if (closed > 0) {
    log.warn(
      { dataDir, closed },
      'the data directory was open to other users of this machine: permissions of group and others are removed',
    );
  }
}
