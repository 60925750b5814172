/** Upstream: cloud-provider-aws pkg/providers/v1/aws_routes.go. */
import type { CloudAction } from "#/cloud/base/action.ts";
import type { Route, Routes } from "#/cloud/base/provider.ts";
import { asError } from "#/std/base/as-error.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import type { AwsCloud } from "../base/aws-cloud.ts";
import {
  createRoute,
  deleteRoute,
  describeRouteTables,
  type Ec2RouteTable,
  modifyInstanceAttribute,
} from "../client/ec2-operations.ts";
import { pagesOf } from "../client/pages.ts";
import {
  computeRoutes,
  instanceIdsOf,
  planCreateRoute,
  planDrift,
  planRemoveRoute,
} from "./plan-routes.ts";

interface AwsRoutesOptions {
  readonly cloud: AwsCloud;
  /** The name of the Node with an instance id; throws if there is none or several. */
  nodeOf(instanceId: string): string;
}

export class AwsRoutes implements Routes {
  readonly #cloud: AwsCloud;
  readonly #nodeOf: AwsRoutesOptions["nodeOf"];

  constructor({ cloud, nodeOf }: AwsRoutesOptions) {
    this.#cloud = cloud;
    this.#nodeOf = nodeOf;
  }

  async list(clusterName: string, signal: AbortSignal): Promise<readonly Route[]> {
    const table = await this.#table(clusterName, signal);
    const instances = await this.#cloud.instances.findByIds(instanceIdsOf(table));
    return computeRoutes(table, clusterName, (id) => {
      if (instances.has(id)) return this.#nodeOf(id);
      this.#cloud.log.warning("failed to find instance of route", { instanceId: id });
      return undefined;
    });
  }

  async create(
    clusterName: string,
    _nameHint: string,
    route: Route,
    signal: AbortSignal,
  ): Promise<void> {
    for (const action of await this.#planCreate(clusterName, route, signal)) {
      await this.#apply(action, route.destinationCidr, signal);
    }
  }

  async remove(clusterName: string, route: Route, signal: AbortSignal): Promise<void> {
    const action = planRemoveRoute(route, await this.#table(clusterName, signal));
    await this.#apply(action, route.destinationCidr, signal);
  }

  async plan(
    clusterName: string,
    change: { readonly create: readonly Route[]; readonly remove: readonly Route[] },
    signal: AbortSignal,
  ): Promise<readonly CloudAction[]> {
    const created: CloudAction[] = [];
    for (const route of change.create) {
      created.push(...(await this.#planCreate(clusterName, route, signal)));
    }
    const table = await this.#table(clusterName, signal);
    const targets = await this.#cloud.instances.findByIds(instanceIdsOf(table));
    const removed = change.remove.map((route) => planRemoveRoute(route, table));
    return [...removed, ...created, ...planDrift(table, targets)];
  }

  async #planCreate(
    clusterName: string,
    route: Route,
    signal: AbortSignal,
  ): Promise<readonly CloudAction[]> {
    const { instances } = this.#cloud;
    const { instanceId = "" } = await instances.getByNodeName(route.targetNode, signal);
    const table = await this.#table(clusterName, signal);
    return planCreateRoute(route, { table, instances: new Map([[route.targetNode, instanceId]]) });
  }

  /** The only route table of the cluster. */
  async #table(clusterName: string, signal: AbortSignal): Promise<Ec2RouteTable> {
    const { config, tags } = this.#cloud;
    const id = config.RouteTableID;
    const all = await this.#describeTables(id, signal);
    const own = id ? all : all.filter(({ tagSet }) => tags.has(tagSet));
    if (own.length > 1) {
      throw new Error(`found multiple matching AWS route tables for AWS cluster: ${clusterName}`);
    }
    if (!own[0]) throw new Error(`unable to find route table for AWS cluster: ${clusterName}`);
    return own[0];
  }

  async #describeTables(id: string, signal: AbortSignal): Promise<readonly Ec2RouteTable[]> {
    const { client, metrics } = this.#cloud;
    const params = id ? { Filter: [{ Name: "route-table-id", Value: [id] }] } : {};
    try {
      return await metrics.measure("describe_route_tables", async () => {
        const found: Ec2RouteTable[] = [];
        for await (const page of pagesOf(client, tablePages, params, signal)) {
          found.push(...page.routeTableSet);
        }
        return found;
      });
    } catch (error) {
      throw quoting("error listing AWS route tables", error, signal);
    }
  }

  async #apply({ call, params, of }: CloudAction, cidr: string, signal: AbortSignal) {
    const { client } = this.#cloud;
    const given = params as never;
    try {
      if (call === "ec2:ModifyInstanceAttribute") {
        await client.call(modifyInstanceAttribute, given, signal);
      } else if (call === "ec2:DeleteRoute") await client.call(deleteRoute, given, signal);
      else await client.call(createRoute, given, signal);
    } catch (error) {
      throw quoting(describeFailure(call, of, cidr, params["InstanceId"]), error, signal);
    }
  }
}

function describeFailure(call: string, of: string, cidr: string, instanceId: unknown): string {
  if (call === "ec2:ModifyInstanceAttribute") {
    return `error configuring source-dest-check on instance ${instanceId}`;
  }
  if (call === "ec2:CreateRoute") return `error creating AWS route (${cidr})`;
  return of.startsWith("blackhole ")
    ? `error deleting blackholed AWS route (${cidr})`
    : `error deleting AWS route (${cidr})`;
}

function quoting(prefix: string, error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return error;
  return new Error(`${prefix}: ${goQuote(asError(error).message)}`, { cause: error });
}

const tablePages = {
  operation: describeRouteTables,
  next: ({ nextToken }: { readonly nextToken: string | undefined }) => nextToken,
  continued: <P extends object>(params: P, NextToken: string) => ({ ...params, NextToken }),
};
