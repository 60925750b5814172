/** A number of 32 bits, with its sign, for a text: FNV-1a. Others would be no plain integers in the engine. */
export function hashOf(text: string | undefined, start = 0x811c9dc5 | 0): number {
  if (text === undefined) return 0;
  let hash = start;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash;
}

/** The hash of an object's name. */
export function hashOfName(resource: string, namespace: string, name: string): number {
  return hashOf(name, hashOf(namespace, hashOf(resource)) ^ namespace.length);
}
