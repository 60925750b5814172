/** The registry and the folder of names that have none. */
const defaultRegistry = "docker.io";
const defaultFolder = "library";

/**
 * A name of an image with its registry and tag, as CRI looks for it: `docker.io/library/web:1` for `web:1`. A digest or an id
 * alone stays as it is.
 */
export function wholeName(name: string): string {
  if (/^[a-z0-9]+:[0-9a-f]{64}$/.test(name)) return name;
  const parts = name.split("/");
  const [first = ""] = parts;
  const hasRegistry = parts.length > 1 && (/[.:]/.test(first) || first === "localhost");
  const path = hasRegistry ? parts.slice(1) : parts;
  const registry = hasRegistry && first !== "index.docker.io" ? first : defaultRegistry;
  const isLibrary = registry === defaultRegistry && path.length === 1;
  const whole = [registry, ...(isLibrary ? [defaultFolder] : []), ...path].join("/");
  return /[:@]/.test(path.at(-1) ?? "") ? whole : `${whole}:latest`;
}
