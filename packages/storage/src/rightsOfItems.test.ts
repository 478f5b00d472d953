import { describe, expect, it } from 'vitest';
import { OpenSecurity, SECURITY, securityErrors, type Request, type Security, type Target } from '@millrace/kernel';
import { openTestStorage } from './openTestStorage.test.support.js';

const AT = { index: 'shop', collection: 'things' };

/** Allows the targets that a rule allows, and records the calls. */
class RuledSecurity extends OpenSecurity implements Security {
  readonly asked: Target[] = [];
  rule: (target: Target) => boolean = () => true;

  override authorizeTarget(...[request, target]: readonly unknown[]): void {
    const { controller, action } = target as Target;
    this.asked.push(target as Target);
    if (this.rule(target as Target)) return;
    const { _id: userId } = (request as Request).user;
    throw securityErrors.forbidden({ userId, controller, action, where: '' });
  }

  override isAllowed(...[, target]: readonly unknown[]): boolean {
    return this.rule(target as Target);
  }
}

function openRuled() {
  const security = new RuledSecurity();
  const storage = openTestStorage({}, (container) => container.registerInstance(SECURITY, security));
  return { ...storage, security };
}

describe('rights of the items of a call (DOC-33, SEC-32)', () => {
  it('refuses the lines of a bulk that the user may not write, and writes the others', async () => {
    const { refusal, run, security } = openRuled();
    await run('document.create', { ...AT, _id: 'old', body: { n: 1 } });
    security.rule = ({ action, index }) => action !== 'delete' && index === 'shop';
    const here = { _index: 'shop', _type: 'things' };
    const bulkData = [
      { index: { ...here, _id: 'a' } }, { n: 1 },
      { delete: { ...here, _id: 'old' } },
      { create: { _id: 'x', _index: 'foreign', _type: 'things' } }, { n: 2 },
      { update: { ...here, _id: 'old' } }, { doc: { n: 3 } },
    ]; // prettier-ignore
    const { status, result } = await refusal('bulk.import', { body: { bulkData } });
    expect(status).toBe(206);
    const { hits } = result as { hits: Record<string, { status: number }>[] };
    expect(hits.map((hit) => Object.values(hit)[0]?.status)).toEqual([201, 403, 403, 200]);
    expect(await run('document.count', { ...AT, body: { query: {} } })).toEqual({ count: 2 });
    expect(await run('index.exists', { index: 'foreign' })).toBe(false);
  });

  it('asks for each line by the name of its action', async () => {
    const { run, security } = openRuled();
    const bulkData = [
      { index: { _id: 'a' } }, { n: 1 }, { create: { _id: 'b' } }, { n: 2 },
      { update: { _id: 'a' } }, { doc: { n: 3 } }, { delete: { _id: 'b' } },
    ]; // prettier-ignore
    await run('bulk.import', { ...AT, body: { bulkData } });
    expect(security.asked).toEqual([
      { controller: 'document', action: 'createOrReplace', ...AT, id: 'a', body: { n: 1 } },
      { controller: 'document', action: 'create', ...AT, id: 'b', body: { n: 2 } },
      { controller: 'document', action: 'update', ...AT, id: 'a', body: { n: 3 } },
      { controller: 'document', action: 'delete', ...AT, id: 'b', body: null },
    ]);
  });

  it('judges each item of mCreate, mDelete and mGet', async () => {
    const { run, refusal, security } = openRuled();
    const documents = [
      { _id: 'a', body: {} },
      { _id: 'b', body: {} },
      { _id: 'c', body: {} },
    ];
    security.rule = ({ id }) => id !== 'b';
    const created = await refusal('document.mCreate', { ...AT, body: { documents } });
    expect(created.result).toMatchObject({
      successes: [{ _id: 'a' }, { _id: 'c' }],
      errors: [{ _id: 'b', status: 403 }],
    });
    security.rule = () => true;
    await run('document.create', { ...AT, _id: 'b', body: {} });
    security.rule = ({ id }) => id !== 'b';
    for (const action of ['mGet', 'mDelete']) {
      const { result } = await refusal(`document.${action}`, { ...AT, body: { ids: ['b', 'a'] } });
      expect(result, action).toMatchObject({ errors: [{ _id: 'b', status: 403 }] });
      expect((result as { successes: unknown[] }).successes, action).toHaveLength(1);
    }
    security.rule = () => true;
    expect(await run('document.get', { ...AT, _id: 'b' })).toMatchObject({ _id: 'b' });
  });

  it('judges a scroll on its own collection at every page, and a refused page is not lost', async () => {
    const { run, refusal, security } = openRuled();
    for (const _id of ['a', 'b']) await run('document.create', { ...AT, _id, body: {} });
    const first = await run('document.search', { ...AT, scroll: '1m', size: 1, body: {} });
    const { _scroll_id: scrollId } = first as { _scroll_id: string };
    security.rule = ({ action }) => action !== 'scroll';
    expect(await refusal('document.scroll', { scrollId })).toMatchObject({ status: 403 });
    security.rule = () => true;
    expect(await run('document.scroll', { scrollId })).toMatchObject({ hits: [{ _id: 'b' }] });
    expect(security.asked.at(-1)).toMatchObject({ action: 'scroll', ...AT });
  });

  it('index.mDelete deletes what the user may delete by either right, and refuses when that is nothing', async () => {
    const { run, refusal, security } = openRuled();
    for (const index of ['one', 'two', 'three']) await run('index.create', { index });
    security.rule = ({ action, index }) =>
      (action === 'delete' && index === 'one') || (action === 'mDelete' && index === 'two');
    expect(await run('index.mDelete', { body: {} })).toEqual({ deleted: ['one', 'two'] });
    expect(await refusal('index.mDelete', { body: {} })).toMatchObject({ status: 403 });
    expect(await run('index.exists', { index: 'three' })).toBe(true);
  });

  it('updateSpecifications needs the right on every collection it names', async () => {
    const { run, refusal, security } = openRuled();
    const specification = { strict: true, fields: {} };
    security.rule = ({ index }) => index !== 'foreign';
    const body = { shop: { things: specification }, foreign: { things: specification } };
    expect(await refusal('collection.updateSpecifications', { body })).toMatchObject({
      status: 403,
    });
    expect(await refusal('collection.getSpecifications', AT)).toMatchObject({ status: 404 });
    await run('collection.updateSpecifications', { body: { shop: { things: specification } } });
  });
});
