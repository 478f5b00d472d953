// Holds docs/reference/errors.md to the error registries, both ways: every row is documented with its status, a meaning
// and a remedy, no documented id is gone, and ids are unique.
import { readFileSync } from 'node:fs';
import { registeredErrors } from './docs/registeredErrors.mjs';

const { errors: registered, twice } = registeredErrors();
const problems = twice.map((id) => `${id} is defined twice`);
const documented = new Map();
for (const line of readFileSync(new URL('../docs/reference/errors.md', import.meta.url), 'utf8').split('\n')) {
  const [, id, status, meaning, remedy] = /^\| `([\w.]+)` \| (\d{3}) \| (.*) \| (.*) \|$/.exec(line) ?? [];
  if (id === undefined) continue;
  documented.set(id, Number(status));
  if (meaning.trim() === '' || remedy.trim() === '') problems.push(`${id} is documented without a meaning or a remedy`);
}
for (const [id, status] of registered) {
  if (!documented.has(id)) problems.push(`${id} (${status}) is missing in docs/reference/errors.md`);
  else if (documented.get(id) !== status) problems.push(`${id} is ${status}, documented as ${documented.get(id)}`);
}
for (const id of documented.keys()) if (!registered.has(id)) problems.push(`${id} is documented and not defined`);
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);
