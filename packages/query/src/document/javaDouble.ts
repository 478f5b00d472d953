/** A number as Java's `Double.toString` writes it, which Elasticsearch uses in keys: `2.0`, `1.0E7`. */
export function javaDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const magnitude = Math.abs(value);
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${exponent.replace('+', '')}`;
}

/** A scalar of a request as Elasticsearch reads it as text: what JSON writes with a point or an exponent is a double. */
export function scalarText(value: string | number | boolean): string {
  const text = String(value);
  return typeof value === 'number' && /[.e]/.test(text) ? javaDouble(value) : text;
}
