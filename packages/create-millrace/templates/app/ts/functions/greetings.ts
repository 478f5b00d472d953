import { action, required, text } from '@millrace/kernel';

/** Greets a person, and keeps the greeting in the collection app/greetings. */
export const hello = action(
  { routes: ['POST /_hello/:name'], args: { name: required(text()) } },
  async ({ args }, { call }) => {
    // In the name of the caller: rights, validation and realtime work as for any other request.
    const { _id } = await call({
      controller: 'document',
      action: 'create',
      index: 'app',
      collection: 'greetings',
      body: { name: args.name },
    });
    return { greeting: `Hello, ${args.name}!`, _id };
  },
);
