// The application's own use of the kernel: a call in the same process, no HTTP in between.
export async function searchBooks(kernel, title) {
  const { status, error, result } = await kernel.execute({
    controller: 'document',
    action: 'search',
    index: 'library',
    collection: 'books',
    body: { query: { match: { title } } },
  });
  if (error !== null) return { status, body: { problem: error.message } };
  return { status, body: { titles: result.hits.map((hit) => hit._source.title) } };
}
