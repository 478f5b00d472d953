import { describe, expect, it } from 'vitest';
import { isStorableText } from './isStorableText.js';

describe('isStorableText', () => {
  it.each(['', 'a', 'é', '日本', '😀', '\u0001', '\uffff', '\ufffd'])('takes %j', (text) => {
    expect(isStorableText(text)).toBe(true);
  });

  it.each(['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800', '😀\ud83d'])('refuses %j', (text) => {
    expect(isStorableText(text)).toBe(false);
  });
});
