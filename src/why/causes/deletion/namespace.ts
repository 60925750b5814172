import { apiServices } from "#/api/apiregistration/v1.ts";
import { type Namespace, namespaces } from "#/api/core/v1.ts";
import { hasCondition } from "#/machinery/meta/conditions.ts";
import { cause } from "../../base/cause.ts";
import { names, oneLine } from "../../base/text.ts";
import type { View } from "../../base/view.ts";
import { conditionLine } from "../../facts/conditions.ts";
import { finalizerOwner } from "../../facts/finalizers.ts";

/** A namespace that is being deleted: what is left of it. */
export const namespaceStuck = cause<Namespace>({
  name: "namespace-terminating",
  layer: "deletion",
  group: "deletion",
  of: [namespaces],
  find({ status, metadata, spec }, view) {
    if (!metadata.deletionTimestamp) return undefined;
    const bad = (status?.conditions ?? []).filter(({ status: value }) => value === "True");
    const message = (type: string) => bad.find((one) => one.type === type)?.message;
    const evidence = bad.map((one) => conditionLine(one, view.nowMs));
    const since = metadata.deletionTimestamp;
    const finalizers = message("NamespaceFinalizersRemaining");
    if (finalizers) {
      const list = [...finalizers.matchAll(/([\w./-]+) in \d+ resource instances?/g)].map(
        ([, name = ""]) => name,
      );
      const left =
        message("NamespaceContentRemaining")?.replace(/^Some resources are remaining: /, "") ?? "";
      return {
        sentence: `it is being deleted, and waits for objects with the finalizer ${names(list) || oneLine(finalizers)} (${oneLine(left, 120)}): ${finalizerOwner(list[0] ?? "")} must remove it`,
        since,
        evidence,
        fix: removals(left, metadata.name ?? ""),
      };
    }
    const discovery =
      message("NamespaceDeletionDiscoveryFailure") ??
      message("NamespaceDeletionGroupVersionParsingFailure");
    if (discovery) {
      const dead = unavailable(view);
      return {
        sentence: `it is being deleted, and the server cannot find out what is in it: ${dead.length > 0 ? `the APIService ${names(dead)} is not available` : oneLine(discovery, 200)}`,
        since,
        evidence,
        fix:
          dead.length > 0
            ? [
                `kubectl why apiservice/${dead[0]}`,
                `kubectl delete apiservice ${dead[0]}  # if its server is gone for good`,
              ]
            : ["kubectl get apiservices"],
      };
    }
    const content =
      message("NamespaceDeletionContentFailure") ?? message("NamespaceContentRemaining");
    if (content) {
      return {
        sentence: `it is being deleted, and some of its content is left: ${oneLine(content, 200)}`,
        since,
        evidence,
        fix: ["kubectl api-resources --namespaced -o name"],
      };
    }
    const own = (spec?.finalizers ?? []).filter((name) => name !== "kubernetes");
    const outer = metadata.finalizers ?? [];
    if (own.length + outer.length === 0) return undefined;
    return {
      sentence: `it is being deleted, and waits for its finalizer ${names([...own, ...outer])}: ${finalizerOwner([...own, ...outer][0] ?? "")} must remove it`,
      since,
      evidence: [
        ...evidence,
        `metadata.finalizers: ${outer.join(", ")}`,
        `spec.finalizers: ${(spec?.finalizers ?? []).join(", ")}`,
      ],
    };
  },
});

const unavailable = (view: View): string[] =>
  (view.list(apiServices) ?? [])
    .filter(({ spec, status }) => spec?.service && !hasCondition(status?.conditions, "Available"))
    .map(({ metadata }) => metadata.name ?? "");

/** Commands that show what is left: `configmaps. has 1 resource instances`. */
const removals = (left: string, namespace: string): string[] =>
  [...left.matchAll(/([\w-]+)\.([\w.-]*) has \d+/g)].map(
    ([, resource, group]) => `kubectl -n ${namespace} get ${resource}${group ? `.${group}` : ""}`,
  );
