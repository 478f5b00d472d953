import type { ProjectChoice } from './askForTheRest.js';
import { VERSION } from './VERSION.js';

/** Versions of what projects in TypeScript need, those that Millrace itself is built with; a test compares. */
export const TYPESCRIPT_DEPENDENCIES = { '@types/node': '^20.19.0', typescript: '~5.9.3' } as const;

const OWN = `^${VERSION}`;

/** The package.json of a project. */
export function manifestOf({ name, template, language }: ProjectChoice): object {
  const isTypescript = language === 'ts';
  const typescript = isTypescript ? TYPESCRIPT_DEPENDENCIES : {};
  const common = { name, version: '0.1.0', type: 'module', engines: { node: '>=20.19.0' } };
  const built = isTypescript ? 'dist' : 'src';
  const first = isTypescript ? 'tsc && ' : '';
  if (template === 'app') {
    return {
      ...common,
      private: true,
      scripts: {
        start: `${first}node ${built}/server.js`,
        dev: `millrace-dev ${built}/server.js`,
        test: `${first}${isTypescript ? 'tsc -p functions && ' : ''}node --test ${built}/greetings.test.js`,
      },
      dependencies: { '@millrace/console': OWN, '@millrace/kernel': OWN, '@millrace/server': OWN },
      devDependencies: { '@millrace/testing': OWN, ...typescript },
    };
  }
  return {
    ...common,
    description: 'A plugin of Millrace',
    keywords: ['millrace-plugin'],
    exports: isTypescript
      ? { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }
      : { '.': './src/index.js' },
    files: [built, `!${built}/**/*.test.*`, `!${built}/dev.*`],
    scripts: {
      ...(isTypescript ? { build: 'tsc', prepack: 'tsc' } : undefined),
      dev: `millrace-dev ${built}/dev.js`,
      test: `${first}node --test ${built}/index.test.js`,
    },
    ...(template === 'plugin-protocol' ? { dependencies: { '@millrace/plugin-kit': OWN } } : undefined),
    // The kernel is that of the server.
    peerDependencies: { '@millrace/kernel': OWN },
    devDependencies: {
      ...(template === 'plugin-strategy' ? { '@millrace/auth-local': OWN } : undefined),
      '@millrace/kernel': OWN,
      '@millrace/server': OWN,
      '@millrace/testing': OWN,
      ...typescript,
    },
  };
}
