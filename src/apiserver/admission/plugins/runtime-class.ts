import { type Pod, pods } from "#/api/core/v1.ts";
import { type RuntimeClass, runtimeClasses } from "#/api/node/v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import { formatResourceList, parseResourceList } from "#/machinery/values/resource-list.ts";
import type { MaybePromise } from "#/std/base/maybe-promise.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Registry } from "../../registry/registry.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";
import { findNewest, findObject } from "../base/find-object.ts";
import { forbid } from "../base/forbid.ts";
import { mergeTolerations } from "./merge-tolerations.ts";

type Amounts = Readonly<Record<string, string | number>>;

/**
 * Sets the overhead and the scheduling constraints of a pod's RuntimeClass.
 * Upstream: plugin/pkg/admission/runtimeclass/admission.go.
 */
export const runtimeClass = admissionPlugin({
  name: "RuntimeClass",
  on: pods,
  operations: ["CREATE"],
  mutate(attributes, { registry }) {
    return withClass(attributes, registry, (found) => {
      if (!found) return;
      setOverhead(attributes, found);
      setScheduling(attributes, found);
    });
  },
  validate(attributes, { registry }) {
    return withClass(attributes, registry, (found) => checkOverhead(attributes, found));
  },
});

/** Calls a function with the pod's class, which is read from the store only if it is not cached. */
function withClass(
  attributes: Admitted<Pod>,
  registry: Registry,
  use: (found: RuntimeClass | undefined) => void,
): MaybePromise<void> {
  const name = attributes.object.spec.runtimeClassName;
  if (name === undefined) return use(undefined);
  const cached = findObject(registry, runtimeClasses, "", name);
  if (cached) return use(cached);
  return findNewest(registry, runtimeClasses, "", name).then((newest) => {
    if (newest) return use(newest);
    throw forbid(attributes, `pod rejected: RuntimeClass ${goQuote(name)} not found`);
  });
}

function setOverhead(attributes: Admitted<Pod>, { overhead }: RuntimeClass): void {
  const { spec } = attributes.object;
  if (!overhead) return;
  const fixed = overhead.podFixed ?? {};
  if (Object.keys(spec.overhead ?? {}).length > 0 && !sameAmounts(fixed, spec.overhead)) {
    throw mismatch(attributes);
  }
  if (overhead.podFixed) spec.overhead = { ...overhead.podFixed };
  else delete spec.overhead;
}

function checkOverhead(attributes: Admitted<Pod>, found: RuntimeClass | undefined): void {
  const { overhead } = attributes.object.spec;
  if (found?.overhead) {
    if (!sameAmounts(found.overhead.podFixed, overhead)) throw mismatch(attributes);
  } else if (overhead !== undefined) {
    throw forbid(
      attributes,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
    );
  }
}

const mismatch = (attributes: Admitted<Pod>) =>
  forbid(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");

function sameAmounts(a: Amounts = {}, b: Amounts = {}): boolean {
  if (deepEqual(a, b)) return true;
  const left = parseResourceList(a);
  const right = parseResourceList(b);
  if (left.size !== right.size) return false;
  return Object.keys(formatResourceList(left)).every((name) => {
    const other = right.get(name);
    return other !== undefined && left.get(name)?.equals(other);
  });
}

function setScheduling(attributes: Admitted<Pod>, { scheduling }: RuntimeClass): void {
  const { spec } = attributes.object;
  if (!scheduling) return;
  const selector = { ...spec.nodeSelector };
  for (const [key, value] of Object.entries(scheduling.nodeSelector ?? {})) {
    const own = selector[key];
    if (own !== undefined && own !== value) {
      throw forbid(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
    }
    selector[key] = value;
  }
  if (Object.keys(selector).length > 0) spec.nodeSelector = selector;
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}
