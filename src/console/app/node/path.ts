/** What kubectl uses of Node's "path", for paths with slashes. */

export const sep = "/";
export const delimiter = ":";

export const isAbsolute = (path: string): boolean => path.startsWith("/");

export function normalize(path: string): string {
  const kept: string[] = [];
  for (const word of path.split("/")) {
    if (word === "" || word === ".") continue;
    if (word !== "..") kept.push(word);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isAbsolute(path)) kept.push("..");
  }
  const text = kept.join("/");
  const end = text !== "" && path.endsWith("/") ? "/" : "";
  if (isAbsolute(path)) return `/${text}${end}`;
  return text === "" ? (path.endsWith("/") ? "./" : ".") : text + end;
}

export const join = (...parts: readonly string[]): string =>
  normalize(parts.filter((part) => part !== "").join("/"));

export function resolve(...parts: readonly string[]): string {
  const from = parts.findLastIndex(isAbsolute);
  return normalize(`/${parts.slice(Math.max(0, from)).join("/")}`).replace(/(.)\/$/, "$1");
}

export function dirname(path: string): string {
  const trimmed = path.replace(/(.)\/+$/, "$1");
  const slash = trimmed.lastIndexOf("/");
  if (slash < 0) return ".";
  return slash === 0 ? "/" : trimmed.slice(0, slash);
}

export function basename(path: string, ending = ""): string {
  const name = path.replace(/\/+$/, "").split("/").at(-1) ?? "";
  return name !== ending && name.endsWith(ending)
    ? name.slice(0, name.length - ending.length)
    : name;
}

export function extname(path: string): string {
  const name = basename(path);
  const dot = name.lastIndexOf(".");
  return dot <= 0 || name === ".." ? "" : name.slice(dot);
}

export function relative(from: string, to: string): string {
  const [start, end] = [from, to].map((path) => resolve(path).split("/").filter(Boolean));
  const wanted = end ?? [];
  const present = start ?? [];
  const differs = wanted.findIndex((word, index) => word !== present[index]);
  const common = differs < 0 ? wanted.length : differs;
  const same = Math.min(common, present.length);
  return [...present.slice(same).map(() => ".."), ...wanted.slice(same)].join("/");
}

export const posix = { sep, delimiter, isAbsolute, normalize, join, resolve, dirname, basename };
