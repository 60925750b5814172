import type { FieldRequirement } from "#/machinery/meta/fields.ts";
import type { Selector } from "#/machinery/meta/labels.ts";
import type { VersionedResource } from "../registry/served-resource.ts";
import type { Trait } from "../registry/trait-index.ts";

/** A trait with a required value. */
export interface WantedTrait {
  readonly trait: Trait;
  readonly value: string;
}

/** Limit of the labels of one selector that are looked up in an index (count): any of them will do. */
const maxLabels = 8;

/** The labels for which a selector requires one value. */
export function wantedLabels(labels: Selector): WantedTrait[] {
  const matches = [...labels.exactMatches()].slice(0, maxLabels);
  return matches.map(([key, value]) => ({ trait: labelTrait(key), value }));
}

function labelTrait(key: string): Trait {
  return {
    name: `label ${key}`,
    of: ({ labels }) => (labels && Object.hasOwn(labels, key) ? labels[key] : undefined),
  };
}

/** The fields that must have one value, by their own names; only those that need no conversion. */
export function wantedFields(
  requirements: readonly FieldRequirement[],
  ownFields: readonly string[],
  { resource, version }: Pick<VersionedResource, "resource" | "version">,
): WantedTrait[] {
  if (version.selectableFields || version.webhook) return [];
  return requirements.flatMap(({ operator, value }, index) => {
    const field = ownFields[index] ?? "";
    const isStored = resource.declaration.selectableFields?.[field] !== undefined;
    return isStored && operator !== "!=" ? [{ trait: fieldTrait(field), value }] : [];
  });
}

function fieldTrait(field: string): Trait {
  return { name: `field ${field}`, of: (object) => object.fieldValue(field) ?? "" };
}
