import { type Node, type NodeSpec, nodes } from "#/api/core/v1.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";
import { cidrWarnings } from "#/machinery/meta/ip-rules.ts";
import { append } from "#/std/base/append.ts";
import { nodeProxyAction } from "../../../proxy/cluster-proxies.ts";
import { type Decoded, type RequestContext, serve } from "../../../registry/strategy.ts";
import { keepSpec, keepStatus } from "../../rules/keep-spec.ts";
import { roundResourceList } from "../pod-spec/base/resource-list-defaults.ts";
import { nodeColumns } from "./columns.ts";
import { validateNode, validateNodeUpdate } from "./validate-node.ts";

/** Upstream: pkg/registry/core/node/strategy.go. */
export const node = serve(nodes, {
  reportingNode: ({ metadata }) => metadata.name,
  storageName: "minions",
  setDefaults({ spec, status }) {
    alignPodCidrs(spec);
    if (!status) return;
    if (status.allocatable === undefined && status.capacity !== undefined) {
      status.allocatable = { ...status.capacity };
    }
    roundResourceList(status.capacity);
    roundResourceList(status.allocatable);
  },
  prepareForCreate(object, context) {
    delete object.spec.configSource;
    delete object.status?.config;
    dropDisabled(object, undefined, context);
  },
  prepareForUpdate(object, old, context) {
    keepStatus(object, old);
    if (old.spec.configSource === undefined) delete object.spec.configSource;
    dropDisabled(object, old, context);
  },
  validate: validateNode,
  validateUpdate: (object, old, context) => [
    ...validateNode(object, context),
    ...validateNodeUpdate(object, old),
  ],
  warnings: nodeWarnings,
  resetFields: ["status"],
  status: {
    prepareForUpdate(object, old) {
      keepSpec(object, old);
      if (old.status?.config === undefined) delete object.status?.config;
    },
    validateUpdate: (object, old) => validateNodeUpdate(object, old),
    resetFields: ["spec"],
  },
  selectableFields: {
    "spec.unschedulable": ({ spec }) => String(spec.unschedulable ?? false),
  },
  columns: nodeColumns,
  actions: { proxy: nodeProxyAction },
});

/** podCIDR is the first of podCIDRs. If they differ, podCIDR wins, for clients that know only this field. */
function alignPodCidrs(spec: NodeSpec): void {
  const { podCIDR, podCIDRs = [] } = spec;
  if (podCIDR && podCIDR !== podCIDRs[0]) spec.podCIDRs = [podCIDR];
  else if (podCIDRs[0] && !podCIDR) spec.podCIDR = podCIDRs[0];
}

/** Drops fields of disabled features, unless the old node has them. */
function dropDisabled(
  object: Decoded<Node>,
  old: Decoded<Node> | undefined,
  context: RequestContext,
): void {
  const preemption = "InPlacePodVerticalScalingSchedulerPreemption";
  if (old?.spec.podPreemptionPolicy === undefined && !context.enabled(preemption)) {
    delete object.spec.podPreemptionPolicy;
  }
}

function nodeWarnings({ spec }: Decoded<Node>): string[] {
  const warnings: string[] = [];
  if (spec.configSource) warnings.push("spec.configSource: the feature is removed");
  if (spec.externalID) {
    warnings.push("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  }
  spec.podCIDRs?.forEach((cidr, index) => {
    append(warnings, cidrWarnings(fieldPath("spec", "podCIDRs").index(index), cidr));
  });
  return warnings;
}
