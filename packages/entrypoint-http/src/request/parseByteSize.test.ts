import { describe, expect, it } from 'vitest';
import { parseByteSize } from './parseByteSize.js';

describe('parseByteSize', () => {
  it.each([
    [1_048_576, 1_048_576],
    ['2048', 2_048],
    ['512kb', 524_288],
    ['1MB', 1_048_576],
    ['1 gb', 1_073_741_824],
    ['7b', 7],
  ])('reads %j as %d bytes', (value, bytes) => {
    expect(parseByteSize(value)).toBe(bytes);
  });

  it.each([0, -1, 1.5, '', 'mb', '1tb', '1m', '0kb', '1e3', null, undefined, {}, Infinity, '99999999999999gb'])(
    'refuses %j',
    (value) => {
      expect(parseByteSize(value)).toBeUndefined();
    },
  );
});
