import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from "#/api/apiextensions/v1.ts";

type Condition = Omit<CustomResourceDefinitionCondition, "lastTransitionTime">;

/** What the status of a CRD should say about its names. */
export interface NamesPlan {
  readonly status: {
    readonly acceptedNames: CustomResourceDefinitionNames;
    readonly conditions: readonly Condition[];
  };
}

/**
 * Decides which of a CRD's names it gets, given those that others of its group have: pure.
 * Upstream: apiextensions-apiserver/pkg/controller/status/naming_controller.go.
 */
export function planNames(
  { spec, status }: CustomResourceDefinition,
  taken: readonly CustomResourceDefinitionNames[],
): NamesPlan {
  const wanted = spec.names;
  const resources = new Set(
    taken.flatMap((names) => [names.plural, names.singular ?? "", ...(names.shortNames ?? [])]),
  );
  const kinds = new Set(taken.flatMap((names) => [names.kind, names.listKind ?? ""]));
  const accepted: CustomResourceDefinitionNames = {
    ...(status?.acceptedNames ?? { plural: "", kind: "" }),
  };
  let conflict: { reason: string; message: string } | undefined;
  const refuse = (reason: string, name: string) => {
    conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
  };

  const accept = (
    used: ReadonlySet<string>,
    name: string | undefined,
    reason: string,
    set: () => void,
  ) => {
    if (name !== undefined && name !== "" && used.has(name)) refuse(reason, name);
    else set();
  };
  accept(resources, wanted.plural, "PluralConflict", () => {
    accepted.plural = wanted.plural;
  });
  accept(resources, wanted.singular, "SingularConflict", () => {
    if (wanted.singular) accepted.singular = wanted.singular;
    else delete accepted.singular;
  });
  const short = wanted.shortNames?.find((name) => resources.has(name));
  if (short !== undefined) refuse("ShortNamesConflict", short);
  else if (wanted.shortNames) accepted.shortNames = wanted.shortNames;
  else delete accepted.shortNames;
  accept(kinds, wanted.kind, "KindConflict", () => {
    accepted.kind = wanted.kind;
  });
  accept(kinds, wanted.listKind, "ListKindConflict", () => {
    if (wanted.listKind) accepted.listKind = wanted.listKind;
    else delete accepted.listKind;
  });
  if (wanted.categories) accepted.categories = wanted.categories;
  else delete accepted.categories;
  return {
    status: { acceptedNames: accepted, conditions: conditions(conflict, status?.conditions ?? []) },
  };
}

function conditions(
  conflict: { reason: string; message: string } | undefined,
  present: readonly CustomResourceDefinitionCondition[],
): Condition[] {
  if (conflict) {
    const names: Condition = { type: "NamesAccepted", status: "False", ...conflict };
    const established = present.some(
      ({ type, status }) => type === "Established" && status === "True",
    );
    if (established) return [names];
    const message = "not all names are accepted";
    return [names, { type: "Established", status: "False", reason: "NotAccepted", message }];
  }
  return [
    { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
    {
      type: "Established",
      status: "True",
      reason: "InitialNamesAccepted",
      message: "the initial names have been accepted",
    },
  ];
}
