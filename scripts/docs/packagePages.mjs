/**
 * The pages of docs/reference that are made of docstrings, and which exports they have.
 * @type {readonly {path: string, name: string, title: string, intro: string, sections: readonly {title: string, entry: string, of?: RegExp}[]}[]}
 */
export const PACKAGE_PAGES = [
  {
    path: 'docs/reference/client.md',
    name: 'client',
    title: 'Client',
    intro: 'What `@millrace/client` exports. The guide is [the client](../guide/client.md).',
    sections: [
      { title: '@millrace/client', entry: 'index.ts' },
      { title: '@millrace/client/realtime', entry: 'realtime/index.ts' },
      { title: '@millrace/client/offline', entry: 'offline/index.ts' },
      { title: '@millrace/client/sse', entry: 'sse/index.ts' },
      { title: '@millrace/client/follow', entry: 'follow/index.ts' },
    ],
  },
  {
    path: 'docs/reference/react.md',
    name: 'react',
    title: 'React',
    intro:
      'What `@millrace/react` exports. Begin with [a live page in React](../guide/client.md#a-live-page-in-react) and [live lists](../guide/live-lists.md).',
    sections: [
      { title: '@millrace/react', entry: 'index.ts' },
      { title: '@millrace/react/query', entry: 'query/index.ts' },
    ],
  },
  {
    path: 'docs/reference/kernel.md',
    name: 'kernel',
    title: 'Kernel',
    intro: `What plugins and server functions import from \`@millrace/kernel\`. Guides: [server functions](../guide/functions.md), [writing a
plugin](../guide/plugin-author.md), [a login by magic link](../guide/magic-link.md). Exports that the packages of the server share among themselves are left out.`,
    sections: [
      { title: 'Plugins', entry: 'index.ts', of: /^plugins\/(?!copyOf)/ },
      { title: 'Server functions', entry: 'index.ts', of: /^functions\// },
      {
        title: 'Actions and arguments',
        entry: 'index.ts',
        of: /^contracts\/actions\/(?!ActionTable|checkArguments|readTarget)/,
      },
      { title: 'Errors', entry: 'index.ts', of: /^errors\/(?!didYouMean|showValue)/ },
      { title: 'Pipes and hooks', entry: 'index.ts', of: /^events\/|^pipeline\/\w*Pipes?\./ },
      {
        title: 'Logins',
        entry: 'index.ts',
        of: /^contracts\/security\/(?:AuthStrategy|Passport|User|Identity)|^contracts\/runtime\/Tickets/,
      },
      {
        title: 'Requests and responses',
        entry: 'index.ts',
        of: /^contracts\/request\/(?:Request|Cookie|Response|Precondition)\.|^messages\/(?:createRequest|decodeMessage|encodeMessage)\./,
      },
      { title: 'Protocols', entry: 'index.ts', of: /^protocols\/|^contracts\/request\/Connection\./ },
      {
        title: 'Engines',
        entry: 'index.ts',
        of: /^contracts\/(?:storage\/(?:StorageEngine|StoredDocument|Write|Search|ChangeLog|CopyableEngine)|memory\/)/,
      },
      {
        title: 'Configuration',
        entry: 'index.ts',
        of: /^config\/(?:Config\w*|formats|addressRanges|hostNames)\./,
      },
      { title: 'Services', entry: 'index.ts', of: /^contracts\/runtime\/(?:Clock|Logger)/ },
    ],
  },
  {
    path: 'docs/reference/plugin-kit.md',
    name: 'plugin-kit',
    title: 'Plugin kit',
    intro:
      'What `@millrace/plugin-kit` exports: parts for protocols and logins. The guide is [writing a plugin](../guide/plugin-author.md).',
    sections: [
      { title: 'Configuration', entry: 'index.ts', of: /^config\// },
      { title: 'Connections', entry: 'index.ts', of: /^sockets\// },
      { title: 'TLS', entry: 'index.ts', of: /^tls\// },
    ],
  },
  {
    path: 'docs/reference/testing.md',
    name: 'testing',
    title: 'Testing',
    intro:
      'What `@millrace/testing` exports: servers for tests, and a contract suite for each kind of plugin. Examples: [publishing a plugin](../guide/publish-plugin.md), [a login by magic link](../guide/magic-link.md#step-4-a-test).',
    sections: [
      { title: 'Servers for tests', entry: 'index.ts', of: /^(?:kernel|runner)\// },
      { title: 'Logins and protocols', entry: 'index.ts', of: /^(?:strategy|protocol)\// },
      { title: 'Engines', entry: 'index.ts', of: /^(?!kernel|runner|strategy|protocol)/ },
    ],
  },
];
