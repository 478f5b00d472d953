import { custom, defineAction, type ActionDefinition, type Arguments } from '@millrace/kernel';
import type { DependencyContainer } from 'tsyringe';
import type { CommandDefinition } from './commands/CommandDefinition.js';
import { COMMANDS } from './commands/COMMANDS.js';
import { MEMORY_STORE } from './MEMORY_STORE.js';
import type { MemoryStore } from './service/MemoryStore.js';
import { transactionActions } from './service/transactionActions.js';

/** The actions of controller `memoryStorage` (alias `ms`) over the service that `registerMemoryStore` registered. */
export function memoryStoreActions(container: DependencyContainer): readonly ActionDefinition[] {
  return actionsOf(container.resolve(MEMORY_STORE));
}

/** The actions over a store. */
export function actionsOf(store: MemoryStore): readonly ActionDefinition[] {
  return [
    ...COMMANDS.map((definition) => toAction(definition, store)),
    ...transactionActions(store),
  ];
}

function toAction(definition: CommandDefinition, store: MemoryStore): ActionDefinition {
  const { name, summary, routes, writes } = definition;
  const pathNames = new Set(
    routes.flatMap(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, each = '']) => each)),
  );
  return defineAction({
    controller: 'memoryStorage',
    action: name,
    summary,
    routes,
    args: toArguments(definition),
    writes,
    run: ({ request }) => store.run(definition, pathNames, request),
  });
}

/** For documentation: the pipeline lets any value pass, the service reads them by rules of its own (1.2, 1.3). */
function toArguments({ parts }: CommandDefinition): Arguments {
  const described = parts.flatMap(({ args }) => args);
  return Object.fromEntries(
    described.map(({ name, kind, isRequired }) => {
      const expected = isRequired ? `${kind.expected} (required)` : kind.expected;
      return [name, custom(expected, kind.schema, (value) => value)];
    }),
  );
}
