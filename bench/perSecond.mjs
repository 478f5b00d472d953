/** How many of `count` things `work` does in a second. */
export async function perSecond(count, work) {
  const startMs = performance.now();
  await work();
  return (count / (performance.now() - startMs)) * 1000;
}
