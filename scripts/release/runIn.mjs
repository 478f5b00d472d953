import { execFileSync } from 'node:child_process';

/** Without what npm and pnpm set for the scripts that they run. */
const ENVIRONMENT = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|PNPM_|MILLRACE_|NODE_ENV)/i.test(name)),
  ),
  npm_config_ignore_scripts: 'true',
  npm_config_prefer_offline: 'true',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
};

/**
 * Runs a command in a folder, as a user of the packages does.
 * @returns {string} its standard output
 * @throws Error with all output where it fails
 */
export function runIn(folder, command, ...args) {
  try {
    return execFileSync(command, args, {
      cwd: folder,
      env: ENVIRONMENT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw new Error(`${command} ${args.slice(0, 3).join(' ')}: ${error.stdout ?? ''}${error.stderr ?? error}`, {
      cause: error,
    });
  }
}
