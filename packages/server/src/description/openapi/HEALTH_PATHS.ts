import type { JsonObject } from '@millrace/kernel';

/** The health pages of the HTTP entrypoint, which are no actions (HEALTH-1), as members of `paths`. */
export const HEALTH_PATHS: JsonObject = {
  '/livez': probe('livez', 'Whether the process answers.', ['alive']),
  '/readyz': probe(
    'readyz',
    'Whether the server can take requests.',
    ['ready'],
    ['starting', 'stopping', 'storage', 'cluster'],
  ),
  '/startupz': probe('startupz', 'Whether the server has started.', ['started'], ['starting']),
};

function probe(operationId: string, summary: string, good: readonly string[], bad: readonly string[] = []): JsonObject {
  const response = (description: string, words: readonly string[]) => ({
    description,
    content: {
      'text/plain': { schema: { type: 'string', enum: words.map((word) => `${word}\n`) } },
    },
  });
  const responses = {
    200: response('Yes.', good),
    ...(bad.length === 0 ? undefined : { 503: response('No, and why.', bad) }),
  };
  return { get: { operationId, summary, tags: ['health'], security: [{}], responses } };
}
