import { goQuote } from "#/std/go/go-quote.ts";
import { isJsonObject, ownValue } from "./values/json-value.ts";
import { PatchError } from "./values/patch-error.ts";

/**
 * Limit of list items moved by all operations of a patch (count): with huge lists it would take
 * seconds.
 */
const maximumMovedItems = 100_000_000;

type Container = unknown[] | Record<string, unknown>;

/** A location in the document: the container of a path, and the last part of the path. */
interface Place {
  readonly key: string;
  /** Undefined if an object lacks the key; throws PatchError for an index outside a list. */
  get(): unknown;
  /** Replaces the value; in an object the key may be missing. */
  set(value: unknown): void;
  /** Sets a key, or inserts into a list before the index. */
  add(value: unknown): void;
  remove(): void;
}

/**
 * A mutable JSON document on immutable values: a container is copied before its first change.
 *
 * Upstream: vendor/gopkg.in/evanphx/json-patch.v4/patch.go.
 */
export class PatchDocument {
  root: unknown;
  /** Containers that this document created; they may be changed in place. */
  readonly #own = new Set<object>();
  #moved = 0;

  constructor(root: unknown) {
    this.root = root;
  }

  /** Marks a value that will be in two locations, so that nothing in it is changed in place. */
  share(value: unknown): void {
    const rest: unknown[] = [value];
    for (let part = rest.pop(); part !== undefined; part = rest.pop()) {
      if (typeof part !== "object" || part === null || !this.#own.delete(part)) continue;
      for (const below of Object.values(part)) if (below !== undefined) rest.push(below);
    }
  }

  /** The location of a JSON pointer; undefined if a container on the path is missing. */
  find(path: string): Place | undefined {
    const parts = pointerParts(path);
    const key = parts.pop();
    if (key === undefined || !isContainer(this.#peek(parts))) return undefined;
    const container = (): Container => this.#container(parts);
    return isJsonObject(this.#peek(parts))
      ? objectPlace(key, container, () => this.#peek(parts) as Record<string, unknown>)
      : listPlace(
          key,
          () => this.#movable(container() as unknown[]),
          () => this.#peek(parts) as unknown[],
        );
  }

  /** Counts the items that a change of the list's length may move. */
  #movable(list: unknown[]): unknown[] {
    this.#moved += list.length;
    if (this.#moved > maximumMovedItems) throw new PatchError(422, "too many items to move");
    return list;
  }

  #peek(parts: readonly string[]): unknown {
    let current = this.root;
    for (const part of parts) {
      if (!isContainer(current)) return undefined;
      current = child(current, part);
    }
    return current;
  }

  /** The container at the path; it and all its parents are copied if they are shared. */
  #container(parts: readonly string[]): Container {
    let current = this.#owned(this.root as Container);
    this.root = current;
    for (const part of parts) {
      const next = this.#owned(child(current, part) as Container);
      if (Array.isArray(current)) current[readIndex(part, current.length)] = next;
      else setKey(current, part, next);
      current = next;
    }
    return current;
  }

  #owned(container: Container): Container {
    if (this.#own.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.#own.add(copy);
    return copy;
  }
}

const isContainer = (value: unknown): value is Container =>
  Array.isArray(value) || isJsonObject(value);

function child(container: Container, part: string): unknown {
  if (!Array.isArray(container)) return ownValue(container, part);
  const index = parseIndex(part);
  return index === undefined ? undefined : container.at(index);
}

function objectPlace(
  key: string,
  container: () => Container,
  peek: () => Record<string, unknown>,
): Place {
  const set = (value: unknown): void => setKey(container() as Record<string, unknown>, key, value);
  return {
    key,
    get: () => ownValue(peek(), key),
    set,
    add: set,
    remove() {
      if (!Object.hasOwn(peek(), key)) {
        throw new PatchError(422, `Unable to remove nonexistent key: ${key}: missing value`);
      }
      delete (container() as Record<string, unknown>)[key];
    },
  };
}

function listPlace(key: string, container: () => unknown[], peek: () => unknown[]): Place {
  const index = (length: number): number => readIndex(key, length);
  return {
    key,
    get: () => peek()[index(peek().length)],
    set(value) {
      const at = index(peek().length);
      container()[at] = value;
    },
    add(value) {
      const at = key === "-" ? peek().length : insertionIndex(key, peek().length);
      container().splice(at, 0, value);
    },
    remove() {
      const at = index(peek().length);
      container().splice(at, 1);
    },
  };
}

function insertionIndex(text: string, length: number): number {
  if (parseIndex(text) === undefined) {
    throw new PatchError(
      422,
      `value was not a proper array index: '${text}': ${syntaxError(text)}`,
    );
  }
  return readIndex(text, length + 1);
}

/** An index in range; negative ones count from the end. */
function readIndex(text: string, length: number): number {
  const index = parseIndex(text);
  if (index === undefined) throw new PatchError(422, syntaxError(text));
  if (index >= length || index < -length) {
    throw new PatchError(422, `Unable to access invalid index: ${index}: invalid index referenced`);
  }
  return index < 0 ? index + length : index;
}

const parseIndex = (text: string): number | undefined =>
  /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;

const syntaxError = (text: string): string =>
  `strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`;

/** The keys and indices of a JSON pointer. As upstream, text before the first slash is ignored. */
export const pointerParts = (path: string): string[] => path.split("/").slice(1).map(unescapePart);

const unescapePart = (part: string): string =>
  part.replaceAll(/~[01]/g, (escaped) => (escaped === "~1" ? "/" : "~"));

function setKey(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") object[key] = value;
  else
    Object.defineProperty(object, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}
