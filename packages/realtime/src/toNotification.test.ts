import { describe, expect, it } from 'vitest';
import { toNotification } from './toNotification.js';

const NAME = { index: 'shop', collection: 'sales' };
const CHANGE = {
  id: 'a',
  before: {},
  after: {},
  version: 2,
  meta: null,
  origin: { requestId: 'r', metadata: { reason: 'secret' } },
  cursor: undefined,
};

describe('the notification of a change', () => {
  it('SEC-86: tells nothing but the id of a document that subscribers may no longer see', () => {
    const told = toNotification(NAME, CHANGE, { scope: 'out', shown: null, isHidden: true });
    expect(told).toMatchObject({ scope: 'out', metadata: {}, result: { _id: 'a' } });
    expect(JSON.stringify(told)).not.toContain('secret');
    const left = toNotification(NAME, CHANGE, { scope: 'out', shown: null });
    expect(left).toMatchObject({ metadata: { reason: 'secret' }, result: { _version: 2 } });
  });
});
