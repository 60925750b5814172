/** What a ConfigMap or a Secret may hold altogether. */
export const maxDataBytes = 1024 * 1024;

/** How many bytes a base64 text stands for. */
export function base64Bytes(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
