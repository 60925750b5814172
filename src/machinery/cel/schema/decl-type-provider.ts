import type { EstimatedNode, SizeEstimator } from "../model/call-cost.ts";
import type { Range } from "../model/range.ts";
import type { TypeProvider } from "../model/type-provider.ts";
import type { DeclType } from "./decl-type.ts";
import { reservedWords } from "./escape-name.ts";

/**
 * The object types inside some types, by name.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/cel/types.go.
 */
export function declTypeProvider(...roots: readonly DeclType[]): TypeProvider {
  const objects = new Map<string, DeclType>();
  for (const root of roots) collect(root, objects);
  return {
    findType: (name) => objects.get(name)?.type,
    findField: (typeName, field) => {
      const fields = objects.get(typeName)?.fields;
      const reserved = reservedWords.has(field) ? fields?.get(`__${field}__`) : undefined;
      return (fields?.get(field) ?? reserved)?.type;
    },
  };
}

function collect(decl: DeclType, objects: Map<string, DeclType>): void {
  if (decl.fields !== undefined) {
    objects.set(decl.type.name, decl);
    for (const field of decl.fields.values()) collect(field, objects);
  }
  if (decl.element !== undefined) collect(decl.element, objects);
}

/**
 * Bounds of sizes from the type of a rule's self. Every variable is treated as one of that type.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go.
 */
export function declSizeEstimator(root: DeclType): SizeEstimator {
  return ({ path }: EstimatedNode): Range | undefined => {
    if (path.length === 0) return undefined;
    let decl: DeclType | undefined = root;
    for (const step of path.slice(1)) {
      decl = stepInto(decl, step);
      if (decl === undefined) return undefined;
    }
    return { min: 0n, max: BigInt(decl.maxElements) };
  };
}

function stepInto(decl: DeclType, step: string): DeclType | undefined {
  if (step === "@items" || step === "@values") return decl.element;
  return step === "@keys" ? decl.key : decl.fields?.get(step);
}
