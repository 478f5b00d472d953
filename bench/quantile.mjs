/** Of figures in any order: 0.5 gives the median, 0.99 the p99. */
export function quantile(figures, part) {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * part)];
}
