import { describe, expect, it } from 'vitest';
import type { Logger } from '@millrace/kernel';
import { ClientAddresses } from './ClientAddresses.js';

function open() {
  const warnings: string[] = [];
  const quiet = () => undefined;
  const warn = (_: object, message: string) => void warnings.push(message);
  const log: Logger = { debug: quiet, info: quiet, error: quiet, warn, child: () => log };
  return { warnings, addresses: new ClientAddresses(log) };
}

describe('ClientAddresses', () => {
  it('warns once when five accounts have logged in from one address, until another address appears', () => {
    const { warnings, addresses } = open();
    for (let i = 0; i < 100; i++) addresses.observe('10.0.0.5', `user-${i % 4}`);
    expect([addresses.warning, warnings]).toEqual([null, []]);
    for (let i = 0; i < 100; i++) addresses.observe('10.0.0.5', `user-${i}`);
    expect(addresses.warning).toMatch(/^all clients arrive from one address: .*http\.trustedProxies/);
    expect(warnings).toEqual([addresses.warning]);
    addresses.observe('10.0.0.6', 'user-1');
    expect(addresses.warning).toBeNull();
  });

  it('says nothing of clients on the same machine, or with separate addresses', () => {
    const { warnings, addresses } = open();
    for (let i = 0; i < 100; i++) addresses.observe('127.0.0.1', `user-${i}`);
    for (let i = 0; i < 100; i++) addresses.observe('::1', `user-${i}`);
    for (let i = 0; i < 100; i++) addresses.observe(`192.0.2.${i}`, `user-${i}`);
    expect([addresses.warning, warnings]).toEqual([null, []]);
  });
});
