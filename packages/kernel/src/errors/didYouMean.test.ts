import { describe, expect, it } from 'vitest';
import { didYouMean } from './didYouMean.js';

const ACTIONS = ['get', 'search', 'create', 'createOrReplace', 'delete', 'update'];

describe('didYouMean', () => {
  it.each([
    ['gte', '; did you mean get?'],
    ['serach', '; did you mean search?'],
    ['creat', '; did you mean create?'],
    ['updaet', '; did you mean update?'],
    ['createorreplace', '; did you mean createOrReplace?'],
    ['upsert', ''],
    ['put', ''],
    ['x', ''],
    ['', ''],
    ['searching', ''],
    ['g'.repeat(100), ''],
  ])('says of %j: %j', (name, expected) => {
    expect(didYouMean(name, ACTIONS)).toBe(expected);
  });

  it('takes the nearest name, the first of equally near ones', () => {
    expect(didYouMean('host', ['hosts', 'port', 'cost'])).toBe('; did you mean hosts?');
    expect(didYouMean('terms', ['term', 'terms_set', 'terns'])).toBe('; did you mean term?');
  });
});
