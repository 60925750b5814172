/** Upstream: cloud-provider-aws pkg/providers/v1/aws_routes.go. */
import type { CloudAction } from "#/cloud/base/action.ts";
import type { Route } from "#/cloud/base/provider.ts";
import type { Ec2RouteTable } from "../client/ec2-operations.ts";

/** What a change of routes depends on. */
interface ObservedRoutes {
  readonly table: Ec2RouteTable;
  /** The id of the machine of each node that gets a route, by node name. */
  readonly instances: ReadonlyMap<string, string>;
}

/** The actions that create a route: packets of Pods are let through, a dead route to the same network is removed. */
export function planCreateRoute(route: Route, observed: ObservedRoutes): readonly CloudAction[] {
  const InstanceId = observed.instances.get(route.targetNode);
  if (InstanceId === undefined) return [];
  const of = `route ${route.destinationCidr} of Node ${route.targetNode}`;
  const RouteTableId = observed.table.routeTableId ?? "";
  const DestinationCidrBlock = route.destinationCidr;
  const isBlackhole = observed.table.routeSet.some(
    ({ destinationCidrBlock, state }) =>
      destinationCidrBlock === route.destinationCidr && state === "blackhole",
  );
  const removal = {
    call: "ec2:DeleteRoute",
    params: { DestinationCidrBlock, RouteTableId },
    of: `blackhole ${of}`,
  };
  const passage = {
    call: "ec2:ModifyInstanceAttribute",
    params: { InstanceId, SourceDestCheck: { Value: false } },
    of: `instance ${InstanceId} of Node ${route.targetNode}`,
  };
  return [
    passage,
    ...(isBlackhole ? [removal] : []),
    { call: "ec2:CreateRoute", params: { DestinationCidrBlock, InstanceId, RouteTableId }, of },
  ];
}

/**
 * Drift of routes that exist: their machines must let packets of Pods through, which upstream sets only when it creates a
 * route. `targets` are the machines of the table's routes.
 */
export function planDrift(
  table: Ec2RouteTable,
  targets: ReadonlyMap<string, { readonly sourceDestCheck: boolean | undefined }>,
): readonly CloudAction[] {
  const ids = new Set(instanceIdsOf(table));
  return [...ids]
    .filter((id) => targets.get(id)?.sourceDestCheck === true)
    .map((InstanceId) => ({
      call: "ec2:ModifyInstanceAttribute",
      params: { InstanceId, SourceDestCheck: { Value: false } },
      of: `instance ${InstanceId}, whose routes drop packets of Pods`,
    }));
}

export function planRemoveRoute(route: Route, table: Ec2RouteTable): CloudAction {
  return {
    call: "ec2:DeleteRoute",
    params: {
      DestinationCidrBlock: route.destinationCidr,
      RouteTableId: table.routeTableId ?? "",
    },
    of: `route ${route.destinationCidr} of Node ${route.targetNode}`,
  };
}

/** The ids of the machines that routes of a table lead to. */
export function instanceIdsOf(table: Ec2RouteTable): readonly string[] {
  return table.routeSet.flatMap(({ instanceId }) => instanceId || []);
}

/** The routes of a table to nodes, and those that lead nowhere. */
export function computeRoutes(
  table: Ec2RouteTable,
  clusterName: string,
  nodeOf: (instanceId: string) => string | undefined,
): readonly Route[] {
  return table.routeSet.flatMap((row): readonly Route[] => {
    const { destinationCidrBlock: destinationCidr, state, instanceId } = row;
    if (!destinationCidr) return [];
    const name = `${clusterName}-${destinationCidr}`;
    if (state === "blackhole")
      return [{ name, targetNode: "", destinationCidr, isBlackhole: true }];
    const targetNode = instanceId ? nodeOf(instanceId) : undefined;
    return targetNode === undefined
      ? []
      : [{ name, targetNode, destinationCidr, isBlackhole: false }];
  });
}
