import { defineAction, definePlugin, integer, required, route, text } from '@millrace/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestKernel, type TestKernel } from '@millrace/testing';
import { readClientTypes } from '../../packages/server/src/clientTypes/readClientTypes.js';
import { RemoteServer } from '../../packages/server/src/commands/RemoteServer.js';
import { KNOWN_CONTROLLERS } from '../../packages/server/src/actions/KNOWN_CONTROLLERS.js';
import { UserProgram } from '../types/UserProgram.js';

const LONG_MS = 300_000;

const shop = definePlugin({
  name: 'shop',
  kernel: '^0.1.0',
  setup(host) {
    host.controller([
      defineAction({
        controller: 'shop',
        action: 'price',
        summary: 'Tells a price.',
        routes: [route('GET /_shop/:article')],
        args: { article: required(text()), count: integer(1) },
        result: { type: 'object', required: ['cents'], properties: { cents: { type: 'integer' } } },
        writes: false,
        run: ({ args: { count = 1 } }) => ({ cents: 100 * count }),
      }),
    ]);
  },
});

const PROGRAM = `
import { createClient } from '@millrace/client';
import type { Schema } from './millrace.js';

const client = createClient<Schema>(process.argv[2] ?? '');
const stations = client.collection('city', 'bike-stations');
await stations.create({ name: 'Opéra', kind: 'large', stops: [{ line: 8 }], place: { lat: 1, lon: 2 } }, { id: 's-1' });
const station = (await stations.get('s-1'))!.source;
const name: string = station.name;
const kind: 'large' | 'small' | undefined = station.kind;
const lines: (number | number[] | undefined)[] = (station.stops ?? []).map(({ line }) => line);
const tags: string[] | undefined = station.tags;
const { cents } = await client.actions.shop.price({ article: 'lamp', count: 3 });
void stations.search({ sort: ['name.raw', { bikes: 'asc' }] });
console.log(JSON.stringify({ name, kind, lines, tags, cents }));

// @ts-expect-error a mandatory field is missing
void (() => stations.create({ kind: 'small' }));
// @ts-expect-error not one of the values
void (() => stations.update('s-1', { kind: 'medium' }));
// @ts-expect-error no such field
void (() => stations.search({ sort: ['wheels'] }));
// @ts-expect-error no such collection
void (() => client.collection('city', 'stations'));
// @ts-expect-error an argument of the plugin's action is missing
void (() => client.actions.shop.price({ count: 1 }));
declare const process: { argv: string[] };
`;

const typesOf = (url: string, isSingle = false) => readClientTypes(new RemoteServer(url, ''), isSingle);

describe('millrace types', () => {
  let server: TestKernel;
  beforeAll(async () => {
    server = await startTestKernel({ plugins: [shop] });
    await server.ask('PUT', '/city');
    const line = { type: 'integer' };
    await server.ask('PUT', '/city/bike-stations', {
      properties: {
        name: { type: 'text', fields: { raw: { type: 'keyword' } } },
        stops: { type: 'nested', properties: { line } },
        place: { type: 'geo_point' },
        bikes: { type: 'integer' },
        opened: { type: 'date' },
      },
    });
    await server.ask('PUT', '/city/empty', { properties: {} });
    const fields = {
      name: { type: 'string', mandatory: true },
      kind: { type: 'enum', typeOptions: { values: ['large', 'small'] } },
      tags: { type: 'string', multivalued: { value: true } },
    };
    const { status } = await server.ask('PUT', '/_specifications', {
      city: { 'bike-stations': { fields } },
    });
    expect(status).toBe(200);
  });
  afterAll(() => server.close());

  it('prints mappings and specifications as interfaces', async () => {
    const types = await typesOf(`${server.url}/`);
    expect(types).toContain(`export interface Schema {
  city: {
    "bike-stations": CityBikeStations;
    empty: CityEmpty;
  };
}`);
    expect(types).toContain(`export interface CityBikeStations {
  name: string;
  stops?: {
    line?: number | number[];
  }[];
  place?: GeoPoint | GeoPoint[];
  bikes?: number | number[];
  opened?: string | number | (string | number)[];
  kind?: "large" | "small";
  tags?: string[];
}`);
    expect(types).toContain('interface CityEmpty {\n  [field: string]: unknown;\n}');
    expect(await typesOf(server.url, true)).toContain('  bikes?: number;\n');
  });

  it(
    'prints what a program compiles and runs with, actions of plugins included',
    async () => {
      const program = await UserProgram.create();
      try {
        await program.write('millrace.d.ts', await typesOf(server.url));
        await program.write('stations.ts', PROGRAM);
        expect(await program.compile()).toBe('');
        const seen = { name: 'Opéra', kind: 'large', lines: [8], cents: 300 };
        expect(await program.run('stations', server.url)).toEqual([seen]);
      } finally {
        await program.remove();
      }
    },
    LONG_MS,
  );

  it('names what is wrong with the address or the token', async () => {
    await expect(typesOf('http://127.0.0.1:9')).rejects.toThrow('does not answer');
    const closed = await startTestKernel({ config: { security: { openUntilFirstAdmin: false } } });
    await expect(typesOf(closed.url)).rejects.toThrow(
      /refused index\.list \(401\).* Log in with millrace login, or pass a token in MILLRACE_TOKEN/,
    );
    await closed.close();
  });

  it('knows all controllers of a server without plugins', async () => {
    const bare = await startTestKernel();
    const names = [...bare.kernel.actions].map(({ controller }) => controller);
    expect(KNOWN_CONTROLLERS).toEqual(expect.arrayContaining([...new Set(names)]));
    await bare.close();
  });
});
