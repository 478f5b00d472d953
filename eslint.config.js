import tseslint from 'typescript-eslint';

const STYLE = [
  { selector: 'TSEnumDeclaration', message: 'Use `as const` and its union.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
  {
    selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>8]",
    message: 'A class with more than 8 collaborators has several duties: make one of them a class.',
  },
];

/** Quadratic on an array that clients fill: one of them decides how long the server stops. */
const MOVES_ALL = [
  {
    selector: 'CallExpression[callee.property.name=/^(shift|unshift)$/]',
    message: 'It moves all other items: use a Queue of the kernel.',
  },
  {
    selector: "CallExpression[callee.property.name='splice'][arguments.0.value=0][arguments.1]",
    message: 'It moves all other items: use a Queue of the kernel.',
  },
];

/** House style as far as a linter can check it; scripts/checkLayers.mjs checks the layers. */
export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/node_modules/**',
      '**/data/**',
      'coverage/**',
      'examples/server/public/**',
      // Linted by whoever gets them.
      'packages/create-millrace/templates/**',
    ],
  },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['vitest.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      // Interfaces here declare methods; objects of functions are passed around knowingly.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/naming-convention': [
        'error',
        { selector: 'typeLike', format: ['PascalCase'] },
        {
          selector: 'interface',
          format: ['PascalCase'],
          custom: { regex: '^I[A-Z]', match: false },
        },
      ],
      'no-restricted-syntax': ['error', ...STYLE],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^@millrace/(?!client/(realtime|offline|sse|follow)$|react/query$)[^/]+/',
              message: 'No deep imports: a package exports "." alone.',
            },
          ],
        },
      ],
      eqeqeq: 'error',
    },
  },
  {
    files: ['packages/*/src/**/*.ts', 'plugins/*/src/**/*.ts'],
    // What runs in applications of users, or in tests.
    ignores: ['packages/{client,react,testing,wire-testing}/**', '**/*.test.ts', '**/*.support.ts'],
    rules: { 'no-restricted-syntax': ['error', ...STYLE, ...MOVES_ALL] },
  },
  { files: ['**/*.config.ts', '**/vitest.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.recommended],
    rules: { '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }] },
  },
);
