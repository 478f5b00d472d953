import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageExamples } from './PageExamples.js';

describe('the examples of the reference pages', () => {
  let examples: PageExamples;

  beforeAll(async () => {
    examples = await PageExamples.open();
  });
  afterAll(() => examples.close());

  it.each([
    ['change-log', { commands: 1, requests: 0, shapes: 0 }],
    ['resume', { commands: 0, requests: 5, shapes: 3 }],
    ['sse', { commands: 1, requests: 0, shapes: 3 }],
    ['long-poll', { commands: 2, requests: 0, shapes: 1 }],
    ['idempotency', { commands: 2, requests: 1, shapes: 0 }],
    ['protocols', { commands: 1, requests: 3, shapes: 2 }],
    ['live-queries', { commands: 0, requests: 1, shapes: 0 }],
    ['limits', { commands: 0, requests: 1, shapes: 0 }],
    ['follow', { commands: 0, requests: 1, shapes: 1 }],
    ['memory-store', { commands: 3, requests: 2, shapes: 0 }],
    ['validation', { commands: 2, requests: 0, shapes: 0 }],
  ])('%s: each is accepted, and what it shows is sent', async (page, expected) => {
    const before = { ...examples.done };
    await examples.run(page);
    expect(examples.problems.splice(0)).toEqual([]);
    const { commands, requests, shapes } = examples.done;
    // So that a page whose examples are no longer recognised doesn't pass for a right one.
    expect({
      commands: commands - before.commands,
      requests: requests - before.requests,
      shapes: shapes - before.shapes,
    }).toEqual(expected);
  });
});
