/** The value of a field among alternating names, in lower case, and values; undefined without. */
export function findField(fields: readonly string[], name: string): string | undefined {
  for (let at = 0; at < fields.length; at += 2) if (fields[at] === name) return fields[at + 1];
  return undefined;
}
