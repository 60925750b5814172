/** Limit of the data of a ConfigMap or Secret (bytes). */
export const maxDataBytes = 1024 * 1024;

/** Number of bytes that a base64 text encodes. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
