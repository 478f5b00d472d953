// Builds the documentation site of docs/ into docs/site/dist. Dead links fail it.
import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';

await build(fileURLToPath(new URL('../docs/site', import.meta.url)));
