import { describe, expect, it } from 'vitest';
import { closestName } from './closestName.js';

const KNOWN = ['document.create', 'document.count', 'server.now', 'get'];

describe('closestName', () => {
  it.each([
    ['documnet.create', 'document.create'],
    ['Document.Create', 'document.create'],
    ['document.crate', 'document.create'],
    ['document.creates', 'document.create'],
    ['documentcount', 'document.count'],
    ['sevrer.now', 'server.now'],
    ['gte', 'get'],
    ['document.delete', undefined],
    ['something', undefined],
    ['', undefined],
  ])('%s → %s', (name, expected) => {
    expect(closestName(name, KNOWN)).toBe(expected);
  });

  it('prefers the nearest', () => {
    expect(closestName('cat', ['cart', 'cat', 'car'])).toBe('cat');
    expect(closestName('ab', ['cd', 'xy'])).toBeUndefined();
  });
});
