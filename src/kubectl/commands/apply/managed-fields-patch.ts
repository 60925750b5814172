/** Upstream: staging/src/k8s.io/client-go/util/csaupgrade/upgrade.go. */
import { decodeFields, encodeFields } from "#/machinery/apply/fields-v1.ts";
import { deepEqual } from "#/machinery/objects/deep-equal.ts";
import type { Unstructured } from "../../base/unstructured.ts";

interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

/** A JSON patch that transfers fields of update managers to one apply manager; undefined if there are none. */
export function managedFieldsPatch(
  { metadata }: Unstructured,
  from: readonly string[],
  to: string,
): object[] | undefined {
  const entries = (metadata?.managedFields ?? []) as Entry[];
  const changed = from.reduce((all, manager) => givenTo(all, manager, to), entries);
  if (deepEqual(entries, changed)) return undefined;
  return [
    { op: "replace", path: "/metadata/managedFields", value: changed },
    { op: "replace", path: "/metadata/resourceVersion", value: metadata?.resourceVersion },
  ];
}

function givenTo(entries: readonly Entry[], from: string, to: string): Entry[] {
  const isOld = ({ manager, operation, subresource = "" }: Entry): boolean =>
    manager === from && operation === "Update" && subresource === "";
  const isNew = ({ manager, operation, subresource = "" }: Entry): boolean =>
    manager === to && operation === "Apply" && subresource === "";
  const all = [...entries];
  let target = all.findIndex(isNew);
  if (target < 0) {
    target = all.findIndex(isOld);
    const old = all[target];
    if (old === undefined) return all;
    all[target] = { ...old, operation: "Apply", manager: to };
  }
  const taking = all[target] as Entry;
  const giving = all.find((entry) => isOld(entry) && entry.apiVersion === taking.apiVersion);
  if (giving) {
    const union = decodeFields(taking.fieldsV1).union(decodeFields(giving.fieldsV1));
    all[target] = { ...taking, fieldsV1: encodeFields(union) };
  }
  return all.filter((entry) => !isOld(entry));
}
