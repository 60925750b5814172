/** The value of a JSON object; undefined if the text isn't one. It may still be YAML, whose library takes long to load. */
export function plainJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
