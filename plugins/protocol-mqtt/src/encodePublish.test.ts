import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { encodePublish } from './encodePublish.js';

const flags = { cmd: 'publish', dup: false, retain: false } as const;

describe('encodePublish', () => {
  it.each([0, 1, 119, 120, 16_375, 16_376, 16_377, 2_097_152])(
    'encodes %i bytes as the library mqtt-packet does',
    (length) => {
      const payload = Buffer.alloc(length, 'p');
      for (const topic of ['room-é', 'mqtt.c1']) {
        const plain = generate({ ...flags, topic, payload, qos: 0 });
        expect(encodePublish(topic, payload, 0).equals(plain)).toBe(true);
        const acknowledged = generate({ ...flags, topic, payload, qos: 1, messageId: 1 });
        acknowledged.writeUInt16BE(0, acknowledged.length - length - 2);
        expect(encodePublish(topic, payload, 1).equals(acknowledged)).toBe(true);
      }
    },
  );
});
