import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Starts a server process on a free port with an empty data folder and waits until it listens.
 * @param {string[]} command such as `['node', 'packages/server/bin/millrace.js']`
 * @returns {Promise<{url: string, urlOf: (protocol: string) => Promise<string | undefined>, output: () => string, stop: () => Promise<number | null>}>} `url` is that of HTTP; `stop` sends SIGTERM and gives the exit code
 */
export function startServer(command, { cwd, limitMs = 300_000, until = /listens on (\S+) \(http\)/ } = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-'));
  const environment = {
    ...process.env,
    MILLRACE_HTTP_PORT: '0',
    MILLRACE_WEBSOCKET_PORT: '0',
    MILLRACE_FALLBACK_PORT: '0',
    MILLRACE_MQTT_PORT: '0',
    MILLRACE_SERVER_DATA_DIR: dataDir,
  };
  const child = spawn(command[0], command.slice(1), {
    cwd,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  const stop = async () => {
    // The whole group: npm is between us and the server.
    try {
      process.kill(-child.pid, 'SIGTERM');
    } catch {
      /* it has ended */
    }
    const code = await ended;
    rmSync(dataDir, { recursive: true, force: true });
    return code;
  };
  // The addresses are printed one after another: the last ones may still be on their way.
  const urlOf = async (protocol) => {
    const line = new RegExp(`listens on (\\S+) \\(${protocol}\\)`);
    for (let tries = 0; tries < 100 && !line.test(output); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return line.exec(output)?.[1];
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void stop();
      reject(new Error(`no server within ${limitMs} ms:\n${output}`));
    }, limitMs);
    const read = (chunk) => {
      output += chunk;
      const found = until.exec(output);
      if (found === null) return;
      clearTimeout(timer);
      resolve({ url: found[1], urlOf, output: () => output, stop });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the server ended with ${code}:\n${output}`));
    });
  });
}
