// The calls of README.md: runs them against a server and gives the page with the answers in it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kernel } from '@millrace/server';
import { importCity } from './importCity.mjs';

export const README = fileURLToPath(new URL('README.md', import.meta.url));
const CALL =
  /```sh\ncurl (?:-X (\w+) )?'?http:\/\/127\.0\.0\.1:7511([^\s']+)'?(?: -H 'Content-Type: application\/json' -d '([\s\S]*?)')?\n```\n\n```json\n([\s\S]*?)```/g;

/** The text of README.md with the answers that a fresh example server gives. */
export async function renderReadme() {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-readme-'));
  const kernel = new Kernel({
    config: { http: { port: 0 }, server: { dataDir }, log: { level: 'error' } },
  });
  try {
    const [{ url }] = await kernel.start();
    await importCity(kernel, () => undefined);
    const text = readFileSync(README, 'utf8');
    const answers = [];
    for (const [, method = 'GET', path, body] of text.matchAll(CALL)) {
      const answer = await fetch(url + path, {
        method,
        ...(body ? { body, headers: { 'content-type': 'application/json' } } : {}),
      });
      const message = stable(await answer.json());
      answers.push(JSON.stringify(answers.length === 0 ? message : message.result, null, 2));
    }
    let at = 0;
    return text.replace(
      CALL,
      (block, ...groups) => block.slice(0, block.length - groups[3].length - 3) + `${answers[at++]}\n\`\`\``,
    );
  } finally {
    await kernel.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What differs from run to run gets a fixed value. */
function stable(value) {
  return JSON.parse(JSON.stringify(value), (key, inner) => {
    if (key === 'requestId') return '6f1c3e0a-…';
    if (key === 'took') return 1;
    const isTime = key === 'createdAt' || key === 'updatedAt';
    return isTime && inner !== null ? 1_767_225_600_000 : inner;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(README, await renderReadme());
