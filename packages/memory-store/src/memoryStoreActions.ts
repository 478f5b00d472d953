import { custom, defineAction, schema, type ActionDefinition, type Arguments, type JsonObject } from '@millrace/kernel';
import type { Command } from './commands/Command.js';
import type { PartArgument } from './commands/CommandPart.js';
import { COMMANDS } from './commands/COMMANDS.js';
import type { MemoryStore } from './service/MemoryStore.js';
import { transactionActions } from './service/transactionActions.js';

/** The actions of a memory store. */
export function actionsOf(store: MemoryStore): readonly ActionDefinition[] {
  return [...COMMANDS.map((definition) => toAction(definition, store)), ...transactionActions(store)];
}

function toAction(definition: Command, store: MemoryStore): ActionDefinition {
  const { name, summary, routes, writes, result } = definition;
  const pathNames = new Set(routes.flatMap(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, each = '']) => each)));
  return defineAction({
    controller: 'memoryStorage',
    action: name,
    summary,
    routes,
    ...describe(definition),
    result,
    writes,
    readsFields: true,
    run: (input) => store.run(definition, pathNames, input),
  });
}

/**
 * Arguments and body for descriptions: the pipeline accepts any value, the service parses them by its own rules (MEM-5,
 * MEM-10).
 */
function describe({ parts }: Command): {
  readonly args: Arguments;
  readonly content?: JsonObject;
} {
  const described = parts.flatMap(({ args }) => args);
  const atTop = described.filter(({ home }) => home === 'top');
  const inBody = described.filter(({ home }) => home === 'body');
  const args = Object.fromEntries(
    atTop.map((each) => [each.name, custom(expectedOf(each), each.kind.schema, (value) => value)]),
  ) as Arguments;
  return inBody.length === 0 ? { args } : { args, content: toContent(inBody) };
}

/** Nothing is required here, since each argument may be at the top of the message instead. */
function toContent(described: readonly PartArgument[]): JsonObject {
  const members = described.map((each): [string, JsonObject] => [
    each.name,
    { ...each.kind.schema, description: expectedOf(each) },
  ]);
  return schema.object({}, Object.fromEntries(members));
}

function expectedOf({ kind, isRequired }: PartArgument): string {
  return isRequired ? `${kind.expected} (required)` : kind.expected;
}
