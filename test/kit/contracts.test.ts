import * as vitest from 'vitest';
import { localAuth } from '@millrace/auth-local';
import { fallback } from '@millrace/protocol-fallback';
import { mqtt } from '@millrace/protocol-mqtt';
import { websocket } from '@millrace/protocol-websocket';
import { describeAuthStrategy, describeProtocol } from '@millrace/testing';
import { connectFallback } from '../wire/clients/connectFallback.js';
import { connectMqtt } from '../wire/clients/connectMqtt.js';
import { connectWebsocket } from '../wire/clients/connectWebsocket.js';

// The suites as an author of a plugin would run them, against our own plugins.
const PASSWORD = 'correct horse battery';

describeAuthStrategy(
  {
    name: 'local',
    plugins: () => [localAuth()],
    prepare: async ({ kernel }) => {
      const { status } = await kernel.execute({
        controller: 'security',
        action: 'createFirstAdmin',
        _id: 'ada',
        body: { password: PASSWORD },
      });
      if (status !== 200) throw new Error(`createFirstAdmin gave ${status}`);
      return {
        userId: 'ada',
        right: { username: 'ada', password: PASSWORD },
        wrong: [
          { username: 'ada', password: 'another one entirely' },
          { username: 'nobody', password: PASSWORD },
          { username: 'ada' },
        ],
        secrets: [PASSWORD, 'another one entirely'],
      };
    },
  },
  vitest,
);

let clientNumber = 0;
const protocols = [
  { name: 'websocket', plugin: () => websocket(), connect: connectWebsocket },
  { name: 'fallback', plugin: () => fallback(), connect: connectFallback },
  {
    name: 'mqtt',
    plugin: () => mqtt(),
    connect: (url: string) => connectMqtt(url, `contract-${clientNumber++}`),
  },
];
for (const protocol of protocols) describeProtocol(protocol, vitest);
