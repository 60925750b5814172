/** Upstream: sigs.k8s.io/kustomize/api/filters/replacement. */
import { goQuote } from "#/std/go-quote.ts";
import { CommandError } from "../errors.ts";
import { type BuildResource, selectResources } from "./build-resource.ts";
import type { Replacement, ReplacementTarget, Selector } from "./kustomization.ts";

const defaultPath = "metadata.name";

/** Copies a value of one object, or a fixed one, to fields of others. */
export function replace(resources: readonly BuildResource[], replacement: Replacement): void {
  const { source, sourceValue, targets } = replacement;
  if ((source === undefined && sourceValue === undefined) || !targets) {
    throw new CommandError("replacements must specify a source and at least one target");
  }
  if (source !== undefined && sourceValue !== undefined) {
    throw new CommandError("value and resource selectors are mutually exclusive");
  }
  const value = sourceValue ?? sourceOf(resources, source ?? {});
  for (const target of targets) copyTo(resources, target, value);
}

type Source = NonNullable<Replacement["source"]>;

function sourceOf(resources: readonly BuildResource[], source: Source): unknown {
  const matches = resources.filter(({ allIds }) =>
    allIds.some((id) => idFields.every((field) => !source[field] || source[field] === id[field])),
  );
  const [only] = matches;
  if (matches.length > 1)
    throw new CommandError(`multiple matches for selector ${sourceText(source)}`);
  if (!only) throw new CommandError(`nothing selected by ${sourceText(source)}`);
  const path = source.fieldPath || defaultPath;
  const [place] = places(only.object, splitFieldPath(path), undefined);
  const value = place?.holder[place.key];
  if (value === undefined || value === null || value === "") {
    throw new CommandError(
      `fieldPath \`${path}\` is missing for replacement source ${sourceId(source)}`,
    );
  }
  const { delimiter = "", index = 0 } = source.options ?? {};
  if (delimiter === "") return value;
  const part = String(value).split(delimiter)[index];
  if (part === undefined) {
    throw new CommandError(`options.index ${index} is out of bounds for value ${String(value)}`);
  }
  return part;
}

const idFields = ["group", "version", "kind", "name", "namespace"] as const;

function sourceId({ group, version, kind, name, namespace }: Selector): string {
  return `${kind || "[noKind]"}.${version || "[noVer]"}.${group || "[noGrp]"}/${name || "[noName]"}.${namespace || "[noNs]"}`;
}

function sourceText(source: Source): string {
  return source.fieldPath ? `${sourceId(source)}:${source.fieldPath}` : sourceId(source);
}

function copyTo(
  resources: readonly BuildResource[],
  { select, reject = [], fieldPaths = [defaultPath], options = {} }: ReplacementTarget,
  value: unknown,
): void {
  if (!select) throw new CommandError("target must specify resources to select");
  const rejected = new Set(reject.flatMap((selector) => selectResources(resources, selector)));
  const targets = selectResources(resources, select).filter((each) => !rejected.has(each));
  for (const { object } of targets) {
    for (const path of fieldPaths) {
      const found = places(object, splitFieldPath(path), options.create ? value : undefined);
      if (found.length === 0) {
        const what = options.create ? "find or create" : "find";
        throw new CommandError(`unable to ${what} field ${goQuote(path)} in replacement target`);
      }
      for (const place of found) setPlace(place, value, options);
    }
  }
}

interface Place {
  readonly holder: Record<string | number, unknown>;
  readonly key: string | number;
}

function setPlace(
  { holder, key }: Place,
  value: unknown,
  options: { delimiter?: string; index?: number },
): void {
  const old = holder[key];
  const { delimiter = "", index = 0 } = options;
  if (delimiter === "") {
    holder[key] = typeof value === "object" ? structuredClone(value) : inTypeOf(old, value);
    return;
  }
  const parts = String(old).split(delimiter);
  if (index < 0) parts.unshift(String(value));
  else if (index >= parts.length) parts.push(String(value));
  else parts[index] = String(value);
  holder[key] = parts.join(delimiter);
}

/** A scalar takes the type of the one that it replaces, if it can. */
function inTypeOf(old: unknown, value: unknown): unknown {
  if (typeof old === "string") return String(value);
  const isNumber = typeof old === "number" && String(Number(value)) === value;
  return isNumber ? Number(value) : value;
}

/** The steps of a path with dots; `[a.b]` and `[name=web]` are one step. */
export function splitFieldPath(path: string): string[] {
  const steps: string[] = [];
  for (const [text] of path.matchAll(/(?:\[[^\]]*\]|\\.|[^.\\])+/g)) {
    const bracketed = /^\[([^=\]]*)\]$/.exec(text);
    steps.push(bracketed?.[1] ?? text.replaceAll("\\.", "."));
  }
  return steps;
}

/** Where the fields are that a path means; those missing are made if there is a value for them. */
function places(value: unknown, path: readonly string[], create: unknown): Place[] {
  const [step = "", ...rest] = path;
  if (typeof value !== "object" || value === null) return [];
  const holder = value as Record<string | number, unknown>;
  const next = (key: string | number): Place[] =>
    rest.length === 0 ? [{ holder, key }] : places(holder[key], rest, create);
  if (Array.isArray(value)) return itemKeys(value, step, create).flatMap(next);
  if (holder[step] === undefined) {
    if (create === undefined) return [];
    holder[step] = emptyFor(rest, create);
  }
  return next(step);
}

function emptyFor([next]: readonly string[], create: unknown): unknown {
  if (next === undefined) return structuredClone(create);
  return next === "*" || next === "-" || /^\[.*=.*\]$|^\d+$/.test(next) ? [] : {};
}

function itemKeys(list: unknown[], step: string, create: unknown): number[] {
  if (step === "*") return [...list.keys()];
  if (step === "-") return list.length === 0 ? [] : [list.length - 1];
  if (/^\d+$/.test(step)) return Number(step) < list.length ? [Number(step)] : [];
  const [, key = "", wanted = ""] = /^\[(.*?)=(.*)\]$/.exec(step) ?? [];
  const found = [...list.keys()].filter((index) => {
    const item = list[index] as Record<string, unknown> | undefined;
    return key === "" ? String(item) === wanted : String(item?.[key] ?? "") === wanted;
  });
  if (found.length > 0 || create === undefined) return found;
  list.push(key === "" ? wanted : { [key]: wanted });
  return [list.length - 1];
}
