import { describe, expect, it } from 'vitest';
import { InFlight } from './InFlight.js';

describe('messages in flight (PROTO-67)', () => {
  it('reach a position once all earlier messages of the topic are acknowledged', () => {
    const inFlight = new InFlight();
    inFlight.add('a', 1, 'e.1');
    inFlight.add('a', 2, 'e.2');
    inFlight.add('b', 3, 'e.3');
    inFlight.add('a', 4, undefined);
    expect(inFlight.acknowledge(2)).toBeUndefined();
    expect(inFlight.acknowledge(3)).toEqual({ topic: 'b', cursor: 'e.3' });
    expect(inFlight.acknowledge(4)).toBeUndefined();
    expect(inFlight.count).toBe(1);
    expect(inFlight.acknowledge(1)).toEqual({ topic: 'a', cursor: 'e.2' });
    expect(inFlight.acknowledge(1)).toBeUndefined();
    expect(inFlight.count).toBe(0);
  });

  it('hold back a position that needs no acknowledgement', () => {
    const inFlight = new InFlight();
    expect(inFlight.pass('a', 'e.1')).toEqual({ topic: 'a', cursor: 'e.1' });
    inFlight.add('a', 1, 'e.2');
    expect(inFlight.pass('a', 'e.5')).toBeUndefined();
    expect(inFlight.has(1)).toBe(true);
    expect(inFlight.acknowledge(1)).toEqual({ topic: 'a', cursor: 'e.5' });
  });
});
