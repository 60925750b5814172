import type {
  CustomResourceDefinition,
  CustomResourceDefinitionNames,
} from "#/api/apiextensions/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { NewCondition } from "../resources/apiextensions/condition.ts";

/** The accepted names of a CRD, and whether those are all requested ones. */
interface NamesPlan {
  readonly names: CustomResourceDefinitionNames;
  readonly condition: NewCondition;
}

/**
 * Decides which requested names of a CRD are accepted, given those of other CRDs of its group: pure.
 *
 * Upstream: staging/src/k8s.io/apiextensions-apiserver/pkg/controller/status/naming_controller.go.
 */
export function planNames(
  { spec, status }: CustomResourceDefinition,
  taken: readonly CustomResourceDefinitionNames[],
): NamesPlan {
  const wanted = spec.names;
  const present = status?.acceptedNames ?? { plural: "", kind: "" };
  const resources = new Set(
    taken.flatMap((names) => [names.plural, names.singular, ...(names.shortNames ?? [])]),
  );
  const kinds = new Set(taken.flatMap((names) => [names.kind, names.listKind]));
  const names: CustomResourceDefinitionNames = { ...present };
  let conflict: { reason: string; message: string } | undefined;
  const isFree = (name: string | undefined, own: string | undefined, used: typeof kinds): boolean =>
    (name ?? "") === (own ?? "") || !used.has(name ?? "");
  const inUse = (name: string | undefined): string =>
    `${JSON.stringify(name ?? "")} is already in use`;

  const claim = (
    part: "plural" | "singular" | "kind" | "listKind",
    used: typeof kinds,
    reason: string,
  ): void => {
    const name = wanted[part];
    if (!isFree(name, present[part], used)) conflict = { reason, message: inUse(name) };
    else if (name === undefined) delete names[part];
    else names[part] = name;
  };
  claim("plural", resources, "PluralConflict");
  claim("singular", resources, "SingularConflict");
  const ownShortNames = new Set(present.shortNames);
  const refused = (wanted.shortNames ?? []).filter(
    (name) => !ownShortNames.has(name) && resources.has(name),
  );
  if (refused.length > 0) {
    conflict = { reason: "ShortNamesConflict", message: aggregate(refused.map(inUse)) };
  } else if (wanted.shortNames) {
    names.shortNames = wanted.shortNames;
  } else {
    delete names.shortNames;
  }
  claim("kind", kinds, "KindConflict");
  claim("listKind", kinds, "ListKindConflict");
  if (wanted.categories) names.categories = wanted.categories;
  else delete names.categories;
  const accepted = { reason: "NoConflicts", message: "no conflicts found" };
  return {
    names,
    condition: {
      type: "NamesAccepted",
      status: conflict ? "False" : "True",
      ...(conflict ?? accepted),
    },
  };
}

function aggregate(messages: readonly string[]): string {
  const distinct = [...new Set(messages)];
  return distinct.length === 1 ? distinct.join() : `[${distinct.join(", ")}]`;
}

/** Whether a CRD has all its requested names. */
export function hasItsNames({ spec, status }: CustomResourceDefinition): boolean {
  return deepEqual(spec.names, status?.acceptedNames);
}
