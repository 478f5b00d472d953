import * as runner from 'node:test';
import { localAuth } from '@millrace/auth-local';
import { describeAuthStrategy } from '@millrace/testing';
import { badgeAuth } from './index.js';

// What every strategy owes: the right user, one answer for every wrong login, no secret shown, no input that breaks it.
describeAuthStrategy(
  {
    name: 'badge',
    plugins: () => [localAuth(), badgeAuth({ badges: { 1001: { pin: '8439', userId: 'ada' } } })],
    prepare: async ({ kernel }) => {
      const { error } = await kernel.execute({
        controller: 'security',
        action: 'createFirstAdmin',
        _id: 'ada',
        body: { password: 'correct horse battery' },
      });
      if (error !== null) throw new Error(JSON.stringify(error));
      return {
        userId: 'ada',
        right: { number: '1001', pin: '8439' },
        wrong: [
          { number: '1001', pin: '0000' },
          { number: '1002', pin: '8439' },
        ],
        secrets: ['8439'],
      };
    },
  },
  runner,
);
