import { type ComponentStatus, componentStatuses } from "#/api/core/v1.ts";
import { parseFieldSelector } from "#/machinery/meta/fields.ts";
import { parseSelector } from "#/machinery/meta/label-parser.ts";
import { notFound } from "#/machinery/meta/status-error.ts";
import type { ResourceRequest } from "../../registry/resource-request.ts";
import type { Result } from "../../registry/result.ts";
import { type Declaration, type Decoded, serve } from "../../registry/strategy.ts";
import { parseListOptions } from "../../verbs/options.ts";
import { nameColumn } from "../rules/age.ts";
import type { ComponentProbe } from "./component-probe.ts";

/**
 * The health of the other components, probed on every request.
 *
 * Upstream: pkg/registry/core/componentstatus/rest.go.
 */
export function componentStatusResource(probes: readonly ComponentProbe[]): Declaration {
  return serve(componentStatuses, {
    deprecation: "v1 ComponentStatus is deprecated in v1.19+",
    verbs: {
      get: (request) => get(request, probes),
      list: (request) => list(request, probes),
    },
    columns: [
      nameColumn,
      { name: "Status", type: "string", cell: formatStatus },
      { name: "Message", type: "string", cell: (status) => healthy(status)?.message ?? "" },
      { name: "Error", type: "string", cell: (status) => healthy(status)?.error ?? "" },
    ],
  });
}

async function get(
  { exchange }: ResourceRequest,
  probes: readonly ComponentProbe[],
): Promise<Result> {
  const { name } = exchange.info;
  const probe = probes.find((candidate) => candidate.name === name);
  if (!probe) throw notFound({ group: "", name: "componentstatus" }, name);
  return { type: "value", status: 200, value: await readStatus(probe) };
}

async function list(
  { exchange }: ResourceRequest,
  probes: readonly ComponentProbe[],
): Promise<Result> {
  const { labelSelector, fieldSelector } = parseListOptions(exchange.query);
  const labels = parseSelector(labelSelector);
  const fields = parseFieldSelector(fieldSelector);
  const items = (await Promise.all(probes.map(readStatus))).filter(({ metadata }) => {
    const field = (name: string): string => (name === "metadata.name" ? (metadata.name ?? "") : "");
    return labels.matches(metadata.labels) && fields.matches(field);
  });
  for (const item of items) {
    delete item.kind;
    delete item.apiVersion;
  }
  const value = { kind: "ComponentStatusList", apiVersion: "v1", metadata: {}, items };
  return { type: "value", status: 200, value };
}

async function readStatus(probe: ComponentProbe): Promise<Decoded<ComponentStatus>> {
  const { healthy: isHealthy, message, error } = await probe.check();
  const status = isHealthy ? "True" : "False";
  return {
    kind: "ComponentStatus",
    apiVersion: "v1",
    metadata: { name: probe.name },
    conditions: [
      {
        type: "Healthy",
        status,
        ...(message === "" ? {} : { message }),
        ...(error === undefined ? {} : { error }),
      },
    ],
  };
}

const healthy = ({ conditions }: ComponentStatus) =>
  conditions?.find(({ type }) => type === "Healthy");

function formatStatus(status: ComponentStatus): string {
  const condition = healthy(status);
  if (!condition) return "Unknown";
  return condition.status === "True" ? "Healthy" : "Unhealthy";
}
