/** Number of bytes that a base64 text decodes to. */
export const byteLength = (base64: string): number => Buffer.from(base64, "base64").length;

/** The entries of a record, by key. */
export const sorted = <T>(record: Readonly<Record<string, T>> | undefined): [string, T][] =>
  Object.entries(record ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
