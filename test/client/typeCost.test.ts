import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TypeScriptServer } from '../types/TypeScriptServer.js';
import { UserProgram } from '../types/UserProgram.js';

const TSC = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const MAX_INSTANTIATIONS = 150_000;
const COLLECTIONS = 50;

/** 40 fields, some of them objects to a depth of three. */
function interfaceOf(number: number): string {
  const scalars = Array.from(
    { length: 28 },
    (_, at) => `  field${at}?: ${at % 2 === 0 ? 'string | string[]' : 'number'};`,
  );
  const objects = [0, 1, 2].map(
    (at) => `  part${at}?: { a?: string; b?: number; inner?: { c?: string; d?: { e?: boolean } } };`,
  );
  return `export interface Type${number} {\n${[...scalars, ...objects].join('\n')}\n}\n`;
}

function useOf(number: number): string {
  return `
const c${number} = client.collection('i${number % 5}', 'c${number}');
export const use${number} = async () => {
  await c${number}.create({ field0: 'x', part0: { a: 'y' } });
  await c${number}.update('1', { part1: { inner: { c: 'z' } } });
  const page = await c${number}.search({
    query: { bool: { must: [{ term: { field0: 'x' } }, { range: { 'part0.b': { gt: 1 } } }] } },
    sort: [{ 'part2.inner.c': 'asc' }, 'field1'],
    _source: ['field0', 'field1'],
  });
  for await (const hit of c${number}.scan({ query: { exists: { field: 'part1.inner.d' } } })) return hit.source.part1;
  return page.hits[0]?.source.field1;
};
`;
}

describe('types of a schema with 50 collections of 40 fields', () => {
  let program: UserProgram;
  beforeAll(async () => {
    program = await UserProgram.create();
    const numbers = Array.from({ length: COLLECTIONS }, (_, at) => at);
    const indexes = [0, 1, 2, 3, 4].map((index) => {
      const own = numbers.filter((number) => number % 5 === index);
      return `  i${index}: { ${own.map((number) => `c${number}: Type${number};`).join(' ')} };`;
    });
    const schema = `export interface Schema {\n${indexes.join('\n')}\n}\n`;
    await program.write('schema.d.ts', [...numbers.map(interfaceOf), schema].join('\n'));
    const head = `import { createClient } from '@millrace/client';\nimport type { Schema } from './schema.js';\nconst client = createClient<Schema>('');\n`;
    await program.write('use.ts', head + numbers.map(useOf).join('\n'));
  });
  afterAll(() => program.remove());

  it('are checked with at most 150,000 instantiations', async () => {
    const args = [TSC, '-p', program.folder, '--noEmit', '--extendedDiagnostics'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const figure = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(stdout)?.[1]);
    console.log(
      `50 collections: ${figure('Instantiations')} instantiations, ${figure('Types')} types, check ${figure('Check time')} s`,
    );
    expect(figure('Instantiations')).toBeLessThan(MAX_INSTANTIATIONS);
  });

  it('are completed in an editor', async () => {
    const editor = new TypeScriptServer();
    const line = `void client.collection('i0', 'c0').search({ query: { term: { '': 1 } } });`;
    const head = (await readFile(program.path('use.ts'), 'utf8')).split('\n');
    const file = program.path('edited.ts');
    await program.write('edited.ts', [...head, line].join('\n'));
    const openedMs = await editor.open(file);
    const times: number[] = [];
    for (const [before, name] of [
      ["collection('", 'i0'],
      ["'i0', '", 'c0'],
      ["'c0').", 'search'],
      ["term: { '", 'part0.inner.c'],
    ] as const) {
      const offset = line.indexOf(before) + before.length + 1;
      const beganMs = performance.now();
      expect(await editor.complete(file, head.length + 1, offset)).toContain(name);
      times.push(Math.round(performance.now() - beganMs));
    }
    console.log(`opened in ${Math.round(openedMs)} ms, completions in ${times.join(', ')} ms`);
    await editor.close();
  });
});
