import { type Namespace, type Pod, pods } from "#/api/core/v1.ts";
import { isLabelValue, isQualifiedName } from "#/machinery/meta/names.ts";
import { forbidden, statusWithoutReason } from "#/machinery/meta/status-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { Decoded } from "../../registry/strategy.ts";
import { type Admitted, admissionPlugin } from "../base/admission-plugin.ts";

import { withNamespace } from "./namespace-of.ts";

type Labels = Readonly<Record<string, string>>;

const annotation = "scheduler.alpha.kubernetes.io/node-selector";
const clusterDefault = "clusterDefaultNodeSelector";

/**
 * Adds the namespace's node selector to pods, and refuses selectors outside its whitelist.
 * Upstream: plugin/pkg/admission/podnodeselector/admission.go.
 */
export const podNodeSelector = admissionPlugin<Pod>({
  name: "PodNodeSelector",
  offByDefault: true,
  on: pods,
  operations: ["CREATE"],
  open(_, configuration) {
    const { podNodeSelectorPluginConfig: selectors = {} } = (configuration ?? {}) as {
      podNodeSelectorPluginConfig?: Labels;
    };
    const check = (attributes: Admitted<Pod>, fromNamespace: Labels): void => {
      refuseConflict(attributes, fromNamespace);
      const whitelist = parseSelector(selectors[attributes.namespace] ?? "");
      if (isWithin(attributes.object.spec.nodeSelector ?? {}, whitelist)) return;
      throw refusal(
        attributes,
        "pod node label selector labels conflict with its namespace whitelist",
      );
    };
    return {
      mutate(attributes, { registry }) {
        return withNamespace(registry, attributes.namespace, (namespace) => {
          const fromNamespace = selectorOf(namespace, selectors);
          refuseConflict(attributes, fromNamespace);
          const { spec } = attributes.object;
          const merged = { ...fromNamespace, ...spec.nodeSelector };
          if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
          check(attributes, fromNamespace);
        });
      },
      validate(attributes, { registry }) {
        return withNamespace(registry, attributes.namespace, (namespace) =>
          check(attributes, selectorOf(namespace, selectors)),
        );
      },
    };
  },
});

function selectorOf({ metadata }: Decoded<Namespace>, selectors: Labels): Labels {
  return parseSelector(metadata.annotations?.[annotation] ?? selectors[clusterDefault] ?? "");
}

function refuseConflict(attributes: Admitted<Pod>, fromNamespace: Labels): void {
  const own = attributes.object.spec.nodeSelector ?? {};
  const conflicts = Object.entries(fromNamespace).some(
    ([key, value]) => own[key] !== undefined && own[key] !== value,
  );
  if (!conflicts) return;
  throw refusal(
    attributes,
    "pod node label selector conflicts with its namespace node label selector",
  );
}

const refusal = ({ resource, object }: Admitted<Pod>, detail: string) =>
  forbidden(resource, object.metadata.name ?? "", detail);

/** An empty whitelist allows everything. */
function isWithin(labels: Labels, whitelist: Labels): boolean {
  if (Object.keys(whitelist).length === 0) return true;
  return Object.entries(labels).every(([key, value]) => whitelist[key] === value);
}

/** Reads `key=value,key=value`. */
function parseSelector(text: string): Labels {
  const labels: Record<string, string> = {};
  for (const pair of text === "" ? [] : text.split(",")) {
    const parts = pair.split("=");
    if (parts.length !== 2) throw statusWithoutReason(`invalid selector: [${parts.join(" ")}]`);
    const [key = "", value = ""] = parts.map((part) => part.trim());
    const problems = [...isQualifiedName(key), ...isLabelValue(value)];
    if (problems.length > 0) {
      throw statusWithoutReason(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join("; ")}`);
    }
    labels[key] = value;
  }
  return labels;
}
