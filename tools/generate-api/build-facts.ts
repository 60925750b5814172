import type { Facts, StructFacts } from "../../src/api/base/facts.ts";
import { buildStruct, type Lookup } from "./build-struct.ts";
import type { GoExpression } from "./go-types.ts";
import type { GoPackage } from "./packages.ts";
import {
  constantValue,
  enumValues,
  type Packages,
  type Resolved,
  resolveName,
} from "./resolve-type.ts";

/** Turns the packages into the facts that are written, by import path: every kind and protobuf message, and what they need. */
export function buildFacts(packages: Packages): Map<string, Facts> {
  const drafts = new Map(
    [...packages.values()].map((goPackage) => [goPackage.path, newDraft(goPackage)]),
  );
  const include = (type: Resolved): void => {
    if (type.kind === "scalar") return;
    const draft = drafts.get(type.home.path);
    if (!draft || draft.included.has(type.name)) return;
    draft.included.add(type.name);
    const lookup: Lookup = {
      type: (expression) => typeExpression(packages, expression, type.home, include),
      constant: (path, name) => constantValue(packages, path, name),
    };
    if (type.kind === "enum") draft.enums[type.name] = enumValues(packages, type.home, type.name);
    else if (type.kind === "wrappedList") draft.lists[type.name] = lookup.type(type.items);
    else if (type.kind === "named") draft.named[type.name] = lookup.type(type.underlying);
    else draft.structs[type.name] = buildStruct(type, lookup);
  };
  for (const { path, kinds, messages } of packages.values()) {
    for (const name of new Set([...kinds, ...messages.keys()])) {
      const type = resolveName(packages, path, name);
      include(type);
      if (type.kind === "struct" && type.home.path !== path) addAlias(drafts.get(path), name, type);
    }
  }
  return new Map([...drafts].map(([path, draft]) => [path, finish(draft)]));
}

/** The OpenAPI name of a package: k8s.io/api/core/v1 is io.k8s.api.core.v1. */
export function openApiPackage(path: string): string {
  const [domain = "", ...rest] = path.split("/");
  return [...domain.split(".").reverse(), ...rest].join(".");
}

function addAlias(
  draft: Draft | undefined,
  name: string,
  target: Resolved & { kind: "struct" },
): void {
  if (draft) draft.aliases[name] = reference(target);
}

/** How another package names a definition. */
function reference({ home, name }: { readonly home: GoPackage; readonly name: string }): string {
  return `${home.folder}/${home.version}.${name}`;
}

interface Draft {
  readonly from: GoPackage;
  readonly included: Set<string>;
  readonly enums: Record<string, readonly string[]>;
  readonly lists: Record<string, string>;
  readonly named: Record<string, string>;
  readonly aliases: Record<string, string>;
  readonly structs: Record<string, StructFacts>;
}

function newDraft(from: GoPackage): Draft {
  return { from, included: new Set(), enums: {}, lists: {}, named: {}, aliases: {}, structs: {} };
}

function finish({ from, enums, lists, named, aliases, structs }: Draft): Facts {
  return {
    group: from.group,
    version: from.version,
    package: openApiPackage(from.path),
    kinds: from.kinds,
    enums: sortKeys(enums),
    lists: sortKeys(lists),
    named: sortKeys(named),
    aliases: sortKeys(aliases),
    structs: sortKeys(structs),
  };
}

function sortKeys<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Writes a Go type the way src/api/base/facts.ts describes, and includes what it refers to. */
function typeExpression(
  packages: Packages,
  expression: GoExpression,
  from: GoPackage,
  include: (type: Resolved) => void,
): string {
  const recur = (inner: GoExpression): string => typeExpression(packages, inner, from, include);
  switch (expression.kind) {
    case "pointer":
      return `*${recur(expression.to)}`;
    case "list":
      return isByte(expression.items) ? "bytes" : `[]${recur(expression.items)}`;
    case "map":
      return `{}${recur(expression.values)}`;
    case "other":
      throw new Error(`a type in ${from.path} that JSON cannot hold`);
    case "name": {
      const type = resolveName(packages, expression.package, expression.name);
      if (type.kind === "scalar") return type.name;
      include(type);
      return type.home === from ? type.name : reference(type);
    }
  }
}

function isByte(expression: GoExpression): boolean {
  return expression.kind === "name" && expression.package === "" && expression.name === "byte";
}
