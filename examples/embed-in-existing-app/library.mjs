// Two kernels in one process, used as a library: nothing listens, nothing is shared between them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKernel } from './createKernel.mjs';
import { searchBooks } from './searchBooks.mjs';

const folder = await mkdtemp(join(tmpdir(), 'millrace-library-'));
const kernels = ['fiction', 'science'].map((name) => createKernel(join(folder, name)));
await Promise.all(kernels.map((kernel) => kernel.start()));

const titles = ['The Mill on the Floss', 'On the Origin of Species'];
for (const [at, kernel] of kernels.entries()) {
  const { status, error } = await kernel.execute({
    controller: 'document',
    action: 'create',
    index: 'library',
    collection: 'books',
    refresh: 'wait_for',
    body: { title: titles[at] },
  });
  if (status !== 200) throw new Error(error.message);
}
for (const kernel of kernels) console.log((await searchBooks(kernel, 'on')).body.titles);

await Promise.all(kernels.map((kernel) => kernel.stop()));
await rm(folder, { recursive: true });
