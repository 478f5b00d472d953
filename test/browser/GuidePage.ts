import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, preview, type PreviewServer } from 'vite';
import { expect } from 'vitest';
// Scripts are JavaScript.
// @ts-expect-error no declarations
import { startServer } from '../../scripts/startServer.mjs';
import { UserProgram } from '../types/UserProgram.js';

/** A server as a separate process. */
interface RunningServer {
  readonly url: string;
  urlOf(protocol: string): Promise<string>;
  stop(): Promise<number | null>;
}

/** The page of a guide, built by Vite, and a server for it. */
export class GuidePage {
  private constructor(
    readonly server: RunningServer,
    private readonly program: UserProgram,
    private readonly pages: PreviewServer,
  ) {}

  /** @param name of the guide: its blocks `index.html` and `file` are the page */
  static async open(name: string, file: 'page.jsx' | 'page.ts' = 'page.jsx'): Promise<GuidePage> {
    const guide = await readFile(new URL(`../../docs/guide/${name}.md`, import.meta.url), 'utf8');
    const start = startServer as (command: string[]) => Promise<RunningServer>;
    const server = await start(['node', 'packages/millrace/bin/millrace.js', '--log.level', 'error']);
    const program = await UserProgram.create();
    const { folder: root } = program;
    await program.write('index.html', block(guide, 'html', '<!-- index.html -->'));
    const [, language = ''] = file.split('.');
    const page = block(guide, language, `// ${file}`);
    await program.write(file, page.replace('http://127.0.0.1:7511', server.url));
    // Strict TypeScript; a page in JavaScript has nothing to compile.
    if (language === 'ts') expect(await program.compile()).toBe('');
    await build({ root, logLevel: 'error', build: { outDir: join(root, 'dist') } });
    const pages = await preview({ root, logLevel: 'error', preview: { port: 0, host: '127.0.0.1' } });
    return new GuidePage(server, program, pages);
  } // prettier-ignore

  get url(): string {
    const { port } = this.pages.httpServer.address() as { readonly port: number };
    return `http://127.0.0.1:${port}`;
  }

  /** @returns the exit code of the server */
  async close(): Promise<number | null> {
    await this.pages.close();
    await this.program.remove();
    return this.server.stop();
  }
}

/** A block of the guide that contains a line. */
function block(guide: string, language: string, line: string): string {
  const blocks = guide.split(`\n\`\`\`${language}\n`).slice(1);
  const found = blocks.map((each) => each.split('\n```')[0] ?? '').find((each) => each.includes(line));
  if (found === undefined) throw new Error(`the guide has no block with ${line}`);
  return found;
}
