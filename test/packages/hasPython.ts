import { spawnSync } from 'node:child_process';

/**
 * Says so where tests are left out, or fails where they must not be.
 * @param module that Python must have; absent: none but its own
 * @returns whether to run them
 */
export function hasPython(module?: string): boolean {
  const asked = module === undefined ? ['--version'] : ['-m', module, '--version'];
  if (spawnSync('python3', asked).status === 0) return true;
  const line = `Python tests are skipped: install python3${module === undefined ? '' : ` with ${module}`}`;
  if (process.env['MILLRACE_TEST_REQUIRE'] === '1') throw new Error(`MILLRACE_TEST_REQUIRE=1, but ${line}`);
  console.log(line);
  return false;
}
