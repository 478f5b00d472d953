import { describe, expect, it } from 'vitest';
import { MillraceError } from '@millrace/kernel';
import { parseForm } from './parseForm.js';

const parse = (text: string) => parseForm(Buffer.from(text, 'latin1'));

describe('parseForm', () => {
  it('reads fields as strings, percent-decoded once, plus signs as spaces', () => {
    expect(parse('SAMLResponse=PD94%2B%3D&RelayState=a+b%2520&empty=&bare&&')).toEqual({
      SAMLResponse: 'PD94+=',
      RelayState: 'a b%20',
      empty: '',
      bare: '',
    });
    expect(parse('')).toEqual({});
  });

  it('keeps names with a special meaning as data', () => {
    const fields = parse('__proto__=x&constructor=y');
    expect(Object.keys(fields)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
  });

  it.each([
    ['a repeated field', 'a=1&a=2', /"a" is repeated/],
    ['malformed percent-encoding', 'a=%zz', /"a" is not UTF-8/],
    ['bytes that are no UTF-8', 'a=%ff', /"a" is not UTF-8/],
    ['raw bytes beyond ASCII', 'a=\u00e9', /"a" is not UTF-8/],
    ['a name that is malformed', '%zz=1', /name of a field/],
    ['too many fields', Array.from({ length: 101 }, (_, i) => `f${i}=`).join('&'), /more than 100/],
  ])('refuses %s without repeating a value', (_, text, message) => {
    const refused = parse(text);
    expect(refused).toBeInstanceOf(MillraceError);
    expect(refused).toMatchObject({ id: 'api.invalid_request', status: 400 });
    expect((refused as MillraceError).message).toMatch(message);
  });
});
