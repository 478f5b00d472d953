// koncorde 4.7 builds natively, so it is installed outside the workspace, once per machine.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = join(tmpdir(), 'millrace-bench-koncorde-4.7');

/** @returns a maker of koncorde engines, or undefined, with one line that says so */
export function openKoncorde() {
  try {
    if (!existsSync(join(FOLDER, 'node_modules/koncorde'))) {
      console.error(`Installing koncorde 4.7 in ${FOLDER}: some minutes, it compiles …`);
      const options = ['install', 'koncorde@4.7', '--prefix', FOLDER, '--no-audit', '--no-fund'];
      spawnSync('npm', options, { stdio: 'ignore', timeout: 900_000 });
    }
    const { Koncorde } = createRequire(join(FOLDER, 'index.js'))('koncorde');
    return () => {
      const engine = new Koncorde();
      return {
        register: (filter) => engine.register(filter),
        test: (document) => engine.test(document),
        remove: (id) => engine.remove(id),
      };
    };
  } catch (error) {
    console.error(`koncorde can't be had (${error.message.split('\n')[0]}): brute force only`);
    return undefined;
  }
}
