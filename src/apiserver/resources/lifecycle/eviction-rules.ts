import { isLongName, isPrefixedLabelKey, type Problems } from "#/machinery/meta/names.ts";
import type { StructRules } from "../rules/declared-rules.ts";

/**
 * Evictions, and requests for them.
 *
 * Upstream: staging/src/k8s.io/api/lifecycle/v1alpha1/types.go.
 */

const uuid = (text: string): Problems =>
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/.test(text)
    ? []
    : ["must be a lowercase UUID in 8-4-4-4-12 format"];

const podReference: StructRules = {
  fields: {
    name: { required: true, format: isLongName },
    uid: { required: true, format: uuid },
  },
};
const target: StructRules = { union: ["pod"], fields: { pod: { struct: () => podReference } } };

/** Target, requester and intent of an eviction request. */
export const evictionRequestSpec: StructRules = {
  fields: {
    target: { immutable: true, struct: () => target },
    requester: { immutable: true, required: true, format: isPrefixedLabelKey },
    intent: { required: true, values: ["Eviction", "Withdrawn"] },
  },
};

/** Target of an eviction. */
export const evictionSpec: StructRules = {
  fields: { target: { immutable: true, struct: () => target } },
};
