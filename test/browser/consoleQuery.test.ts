/* The JSON query editor of the console in a real Chromium: see console.test.ts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsolePage } from './ConsolePage.js';
import { ConsoleServer } from './ConsoleServer.js';
import { hasChromium } from './openChromium.js';

const PASSWORD = 'correct horse battery';
const MAPPING = {
  properties: {
    name: { type: 'text', fields: { raw: { type: 'keyword' } } },
    district: { type: 'keyword' },
    bikes: { type: 'integer' },
    docks: { type: 'nested', properties: { number: { type: 'integer' } } },
    place: { type: 'geo_point' },
    'a|"b': { type: 'keyword' },
  },
};

describe.skipIf(!hasChromium())('the JSON query editor', () => {
  let server: ConsoleServer;
  let admin: ConsolePage;
  const stations = { index: 'city', collection: 'stations' };
  const editor = () => admin.page.getByRole('textbox', { name: 'Body of the search' });
  const options = () => admin.page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option');
  const names = async () => Promise.all((await options().all()).map((option) => option.locator('bdi').textContent()));
  /** Writes the query with the caret at `|`, and asks for suggestions. */
  const suggestedAt = async (marked: string) => {
    const caret = marked.indexOf('|');
    await editor().fill(marked.replace('|', ''));
    await editor().evaluate(
      (field, at) => (field as unknown as { setSelectionRange(a: number, b: number): void }).setSelectionRange(at, at),
      caret,
    );
    await editor().press('Control+Space');
    return names();
  };

  beforeAll(async () => {
    server = await ConsoleServer.start();
    await server.run('index.create', { index: 'city' });
    await server.run('collection.create', { ...stations, body: MAPPING });
    const documents = Array.from({ length: 30 }, (_, number) => ({
      _id: `s-${number}`,
      body: { name: `Mill Lane ${number}`, district: number % 3 === 0 ? 'Harbour' : 'Hill', bikes: number },
    }));
    await server.run('document.mCreateOrReplace', { ...stations, body: { documents }, refresh: 'wait_for' });
    const admins = { profileIds: ['admin'], password: PASSWORD };
    await server.run('security.createUser', { _id: 'admin', body: admins });
    admin = await server.open();
    await admin.signIn('admin', PASSWORD);
    await admin.show('data/city/stations?depth=json');
    await editor().waitFor();
  });
  afterAll(() => server?.stop());

  it('suggests what the parsers of the server read at the caret', async () => {
    expect(await suggestedAt('{|}')).toEqual(
      expect.arrayContaining(['query', 'sort', 'aggs', 'highlight', 'min_score']),
    );
    expect(await suggestedAt('{"query": {"ter|"}}')).toEqual(['term', 'terms']);
    expect(await suggestedAt('{"query": {"bool": {"filter": [{"rang|}')).toEqual(['range']);
    expect(await suggestedAt('{"query": {"bool": {|')).toEqual(
      expect.arrayContaining(['must', 'filter', 'should', 'must_not', 'minimum_should_match']),
    );
    expect(await suggestedAt('{"query": {"term": {"na|')).toEqual(['name', 'name.raw', '_name']);
    expect(await suggestedAt('{"query": {"range": {"bikes": {"gte": 3, |')).not.toContain('gte');
    expect(await names()).toEqual(expect.arrayContaining(['lt', 'lte', 'time_zone']));
    expect(await suggestedAt('{"query": {"match": {"name": {"operator": |')).toEqual(['or', 'and']);
    expect(await suggestedAt('{"query": {"nested": {"path": "doc|')).toEqual(['docks', 'docks.number']);
    expect(await suggestedAt('{"query": {"function_score": {"functions": [{"gauss": {"pl|')).toEqual(['place']);
    expect(await suggestedAt('{"aggs": {"most": {"avg|')).toEqual(['avg']);
    expect(await suggestedAt('{"aggs": {"most": {"terms": {"field": "dis|')).toEqual(['district']);
    expect(await suggestedAt('{"aggs": {"some": {"filters": {"filters": {"x": {"exis|')).toEqual(['exists']);
    expect(await suggestedAt('{"aggs": {"a": {"composite": {|')).toEqual(['sources', 'size', 'after']);
    const sources = '{"aggs": {"a": {"composite": {"sources": [{"by day": ';
    expect(await suggestedAt(`${sources}{|`)).toEqual(['terms', 'histogram', 'date_histogram']);
    expect(await suggestedAt(`${sources}{"terms": {"field": "dis|`)).toEqual(['district']);
    expect(await suggestedAt(`${sources}{"terms": {"field": "district", "ord|`)).toEqual(['order', 'missing_order']);
    expect(await suggestedAt(`${sources}{"date_histogram": {"cal|`)).toEqual(['calendar_interval']);
    expect(await suggestedAt('{"aggs": {"a": {"composite": {"sources": [{|')).toEqual([]);
    expect(await suggestedAt('{"sort": [{"bi|')).toEqual(['bikes']);
    expect(await suggestedAt('{"aggs": {"a \\" b": {"ter|')).toEqual(['terms', 'filter', 'filters']);
    // Long values cost no time.
    const long = 'x'.repeat(300_000);
    expect(await suggestedAt(`{"size": "${long}", "so|`)).toEqual(['sort', '_source']);
    expect(await suggestedAt(`{"query": {"term": {"name": "${long}|`)).toEqual([]);
    // No name can be here.
    for (const text of ['{"query" |', '{"query": {"term": {"name": "x"|', '{"size": 3|', '{"query": }}|', '[|'])
      expect(await suggestedAt(text)).toEqual([]);
    expect(await admin.findings()).toEqual([]);
  });

  it('writes a query by keys alone, with a list that opens while typing', async () => {
    const { page } = admin;
    await editor().fill('');
    const type = (text: string) => page.keyboard.type(text);
    await type('{"qu');
    expect(await names()).toEqual(['query']);
    await page.keyboard.press('Enter');
    expect(await editor().inputValue()).toBe('{"query": {}');
    await type('term');
    expect(await names()).toEqual(['term', 'terms']);
    const active = () => editor().getAttribute('aria-activedescendant');
    const selected = options().and(page.locator('[aria-selected=true]'));
    expect(await selected.textContent()).toBe('term');
    expect(await selected.getAttribute('id')).toBe(await active());
    await page.keyboard.press('ArrowDown');
    expect(await selected.textContent()).toBe('terms');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await editor().inputValue()).toBe('{"query": {"term": {}}');
    await type('"dis');
    await page.keyboard.press('Enter');
    await type('"Hill"');
    // The list is gone, and Escape of a closed list changes nothing.
    expect(await options().count()).toBe(0);
    await page.keyboard.press('End');
    await type('}');
    expect(JSON.parse(await editor().inputValue())).toEqual({ query: { term: { district: 'Hill' } } });
    await page.keyboard.press('Control+Enter');
    await expect.poll(() => page.getByTestId('count').textContent()).toContain('of 20 that match');
    await page.keyboard.press('Control+z');
    expect(await editor().inputValue()).not.toContain('}}}');
  });

  it('runs a query alone, as a search does (SEARCH-1)', async () => {
    await editor().fill('{"range": {"bikes": {"lt": 2}}}');
    await admin.page.getByRole('button', { name: 'Run' }).click();
    await admin.page.getByText('1–2 of 2').waitFor();
    expect(JSON.parse(await editor().inputValue())).toEqual({ query: { range: { bikes: { lt: 2 } } } });
  });

  it('replaces a name and keeps its value, closes with Escape, and lets Tab leave', async () => {
    const { page } = admin;
    expect(await suggestedAt('{"query": {"wild|term": {"district": "Hill"}}}')).toEqual(['wildcard']);
    await page.keyboard.press('Enter');
    expect(await editor().inputValue()).toBe('{"query": {"wildcard": {"district": "Hill"}}}');
    expect(await suggestedAt('{"query": {"exists": {"field": "a|"}}}')).toContain('a|"b');
    await options().filter({ hasText: 'a|"b' }).click();
    expect(JSON.parse(await editor().inputValue())).toEqual({ query: { exists: { field: 'a|"b' } } });
    await suggestedAt('{"query": {|}}');
    await page.keyboard.press('Escape');
    expect(await options().count()).toBe(0);
    await page.keyboard.press('Tab');
    expect(await editor().evaluate('document.activeElement.textContent')).toBe('Run');
  });

  it('shows errors of the syntax and of the server at the line and column', async () => {
    const { page } = admin;
    const problem = page.locator('.json-query [role=alert]');
    const failed = async (text: string) => {
      await editor().fill(text);
      await page.keyboard.press('Control+Enter');
      await problem.waitFor();
      const marked = await page.locator('.json-back mark').textContent();
      return [/Line \d+, column \d+/.exec((await problem.textContent()) ?? '')?.[0], marked];
    };
    expect(await failed('{\n  "query": {"match_all": {},}\n}')).toEqual(['Line 2, column 29', '}']);
    expect(await failed('{\n  "query": x\n}')).toEqual(['Line 2, column 12', 'x']);
    expect(await failed('{"size": 1')).toEqual(['Line 1, column 11', ' ']);
    // Of the server: an unknown query, an unknown option, a wrong value, a value that doesn't fit its field.
    const bool = (clause: string) =>
      `{\n  "query": {\n    "bool": {\n      "must": [\n        {"match_all": {}},\n        ${clause}\n      ]\n    }\n  }\n}`;
    expect(await failed(bool('{"terms": {"district": "Hill"}}'))).toEqual(['Line 6, column 20', '"district"']);
    expect(await failed(bool('{"match": {"name": {"query": "x", "sloppy": 1}}}'))).toEqual([
      'Line 6, column 43',
      '"sloppy"',
    ]);
    expect(await failed(bool('{"nearly": {}}'))).toEqual(['Line 6, column 10', '"nearly"']);
    expect(await failed(bool('{"range": {"bikes": {"gte": "many"}}}'))).toEqual(['Line 6, column 20', '"bikes"']);
    expect(await failed('{"size": -1}')).toEqual(['Line 1, column 2', '"size"']);
    // A query alone becomes a body first.
    expect(await failed('{"term": {"bikes": "many"}}')).toEqual(['Line 4, column 7', '"bikes"']);
    expect(await admin.findings()).toEqual([]);
    // The first change takes the mark away.
    await editor().press('End');
    await page.keyboard.type(' ');
    await problem.waitFor({ state: 'detached' });
  });

  it('loads nothing of it before the JSON depth is shown, and works by touch on a phone', async () => {
    const phone = await server.open({ width: 390, colorScheme: 'dark' });
    await phone.signIn('admin', PASSWORD);
    await phone.show('data/city/stations');
    await phone.page.getByRole('row', { name: 'Document s-1', exact: true }).waitFor();
    const isLoaded = () =>
      phone.page.evaluate('performance.getEntriesByType("resource").some(({ name }) => name.includes("JsonQuery"))');
    expect(await isLoaded()).toBe(false);
    await phone.page.getByRole('radio', { name: 'JSON' }).click();
    const field = phone.page.getByRole('textbox', { name: 'Body of the search' });
    await field.fill('{"query": {"exi');
    expect(await isLoaded()).toBe(true);
    await phone.page.getByRole('button', { name: 'Suggest' }).click();
    await phone.page.getByRole('option', { name: 'exists' }).click();
    expect(await field.inputValue()).toBe('{"query": {"exists": {}');
    await phone.page.getByRole('option', { name: 'field' }).click();
    await phone.page.keyboard.type('"n');
    const box = await phone.page.getByRole('listbox', { name: 'Suggestions' }).boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
    expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await phone.findings()).toEqual([]);
    await phone.context.close();
  });
});
