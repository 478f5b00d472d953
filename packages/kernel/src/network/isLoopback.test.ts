import { describe, expect, it } from 'vitest';
import { isLoopback } from './isLoopback.js';

describe('isLoopback', () => {
  it.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.255.3.4', '::1', '[::1]', '::ffff:127.0.0.1'])(
    'is true for %s',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each(['', '0.0.0.0', '::', '128.0.0.1', '127.0.0.1.example', '127.1.example', 'a.localhost', '10.0.0.1'])(
    // prettier-ignore
    'is false for %j',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});
