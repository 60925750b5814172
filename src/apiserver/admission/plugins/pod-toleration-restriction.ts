import { type Namespace, type Pod, pods, type Toleration } from "#/api/core/v1.ts";
import { statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { computeQOSClass } from "#/machinery/pods/qos.ts";
import { append } from "#/std/base/append.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { type Admitted, admissionPlugin, type PluginServices } from "../base/admission-plugin.ts";

import { allCovered, mergeTolerations } from "./merge-tolerations.ts";
import { withNamespace } from "./namespace-of.ts";

interface Configuration {
  readonly default?: readonly Toleration[];
  readonly whitelist?: readonly Toleration[];
}

const defaultsAnnotation = "scheduler.alpha.kubernetes.io/defaultTolerations";
const whitelistAnnotation = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const memoryPressure: Toleration = {
  key: "node.kubernetes.io/memory-pressure",
  operator: "Exists",
  effect: "NoSchedule",
};

/**
 * Adds the namespace's tolerations to pods, and refuses tolerations outside its whitelist.
 * Upstream: plugin/pkg/admission/podtolerationrestriction/admission.go.
 */
export const podTolerationRestriction = admissionPlugin<Pod>({
  name: "PodTolerationRestriction",
  offByDefault: true,
  on: pods,
  operations: ["CREATE", "UPDATE"],
  open(_, given) {
    const configuration = (given ?? {}) as Configuration;
    return {
      mutate: (attributes, services) =>
        within(attributes, services, (namespace) => {
          addTolerations(attributes, namespace, configuration);
          checkTolerations(attributes, namespace, configuration);
        }),
      validate: (attributes, services) =>
        within(attributes, services, (namespace) =>
          checkTolerations(attributes, namespace, configuration),
        ),
    };
  },
});

const within = (
  { namespace }: Admitted<Pod>,
  { registry }: PluginServices,
  use: (namespace: Decoded<Namespace>) => void,
) => withNamespace(registry, namespace, use);

function addTolerations(
  { operation, object: pod }: Admitted<Pod>,
  namespace: Decoded<Namespace>,
  configuration: Configuration,
): void {
  const extra: Toleration[] = [];
  if (operation === "CREATE") {
    append(extra, annotated(namespace, defaultsAnnotation) ?? configuration.default ?? []);
  }
  if (computeQOSClass(pod) !== "BestEffort") extra.push(memoryPressure);
  if (extra.length === 0) return;
  pod.spec.tolerations = mergeTolerations(pod.spec.tolerations ?? [], extra);
}

function checkTolerations(
  { object: { spec } }: Admitted<Pod>,
  namespace: Decoded<Namespace>,
  configuration: Configuration,
): void {
  if ((spec.tolerations?.length ?? 0) === 0) return;
  const own = annotated(namespace, whitelistAnnotation);
  const whitelist = own ?? configuration.whitelist ?? [];
  if (allCovered(spec.tolerations ?? [], whitelist)) return;
  const scope = own ? "namespace" : "cluster";
  throw statusWithoutReason(
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
  );
}

/** The tolerations of an annotation, in JSON; undefined without the annotation. */
function annotated({ metadata }: Decoded<Namespace>, key: string): Toleration[] | undefined {
  const text = metadata.annotations?.[key];
  if (text === undefined) return undefined;
  if (text === "") return [];
  try {
    return JSON.parse(text) as Toleration[];
  } catch (error) {
    throw statusWithoutReason((error as Error).message);
  }
}
