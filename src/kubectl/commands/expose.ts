/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/expose/expose.go. */

import { dropNulls } from "#/machinery/objects/drop-nulls.ts";
import { goValue } from "#/machinery/patch/values/go-value.ts";
import { parseIntOrString } from "#/machinery/values/int-or-string.ts";
import type { FlagSet } from "#/std/flags/flags.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError, messageOf } from "../base/errors.ts";
import { parseLabelList } from "../base/parse-label-list.ts";
import { typedForm } from "../base/typed-form.ts";
import { fieldAt, kindOf, type Unstructured } from "../base/unstructured.ts";
import { applyOverrides } from "../command/apply-overrides.ts";
import { command, type Invocation } from "../command/command.ts";
import type { Context } from "../command/context.ts";
import { updateLastApplied } from "../command/last-applied.ts";
import { recordChange } from "../command/record-change.ts";
import {
  dryRunFlag,
  dryRunOf,
  fieldManagerFlag,
  filenameFlags,
  overrideFlags,
  recordFlag,
  saveConfigFlag,
} from "../command/shared-flags.ts";
import { printFlags } from "../printers/print-flags.ts";
import { toPrinter } from "../printers/to-printer.ts";
import { ResourceBuilder } from "../resource/builder.ts";
import { fileOptions } from "../resource/resource-arguments.ts";
import { createObject } from "./create/generator.ts";

const flags = {
  ...printFlags,
  ...filenameFlags,
  ...dryRunFlag,
  ...saveConfigFlag,
  ...overrideFlags,
  ...fieldManagerFlag("kubectl-expose"),
  ...recordFlag,
  protocol: { type: "string", help: "Network protocol of the Service; default 'TCP'" },
  port: { type: "string", help: "Port of the Service; default the ports of the object" },
  type: {
    type: "string",
    help:
      "Type of the Service: ClusterIP, NodePort, LoadBalancer, or ExternalName. The default " +
      "is 'ClusterIP'",
  },
  "load-balancer-ip": {
    type: "string",
    help: "Address for the load balancer. If it is empty, the cloud provider chooses one",
  },
  selector: {
    type: "string",
    help:
      "Labels of the Pods. Only requirements of equality are supported. If it is empty (the " +
      "default), the selector of the object is used",
  },
  labels: { type: "string", shorthand: "l", help: "Labels of the Service" },
  "target-port": {
    type: "string",
    help:
      "Name or number of the containers' port that traffic goes to; default the port of the " +
      "Service",
  },
  "external-ip": {
    type: "string",
    help:
      "Additional address, not managed by Kubernetes, that the Service accepts. Where it is " +
      "routed to a node, the Service is reached at it besides its own address",
  },
  name: { type: "string", help: "Name of the Service; default the name of the object" },
  "session-affinity": {
    type: "string",
    help: "Session affinity of the Service: 'None' or 'ClientIP'",
  },
  "cluster-ip": {
    type: "string",
    help:
      "Address of the Service inside of the cluster. Empty for one that is allocated, " +
      "'None' for a headless Service",
  },
} satisfies FlagSet;

type ExposeInvocation = Invocation<typeof flags>;

const exposable = [
  "/ReplicationController",
  "/Service",
  "/Pod",
  "apps/Deployment",
  "apps/ReplicaSet",
  "extensions/Deployment",
  "extensions/ReplicaSet",
];

/** Limit of the name of a Service (characters). */
const maxNameLength = 63;

/** `kubectl expose`. */
export const expose = command({
  usage:
    "expose (-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] [--name=name] [--external-ip=external-ip-of-service] [--type=type]",
  flags,
  completes: {
    of: "resources",
    types: ["pod", "service", "replicationcontroller", "deployment", "replicaset"],
  },
  run,
});

async function run({ flags, args }: ExposeInvocation, context: Context): Promise<void> {
  const dryRun = dryRunOf(flags["dry-run"], context);
  const printer = toPrinter(flags, context, { operation: "exposed", dryRun, keepsOrder: true });
  const chosen = await context.cluster.namespace();
  const { namespace, explicit } = chosen;
  const builder = new ResourceBuilder(context, {
    ...fileOptions(flags, chosen),
    args,
    continueOnError: true,
    flatten: true,
  });
  await builder.visit(async (info) => {
    const { group, kind } = info.mapping;
    if (!exposable.includes(`${group}/${kind}`)) {
      throw new CommandError(`cannot expose a ${group === "" ? kind : `${kind}.${group}`}`);
    }
    const made = serviceFor(flags, dropNulls(info.object ?? {}), info.name);
    const named = recordChange(applyOverrides(typedForm(made), flags), flags, context);
    const overridden = typedForm(named);
    if (dryRun === "client") {
      const metadata = { ...overridden.metadata, ...(explicit ? { namespace } : {}) };
      return printer.print(typedForm({ ...overridden, metadata }), context.out);
    }
    const object = updateLastApplied(overridden, { create: flags["save-config"], typed: true });
    const query = {
      dryRun: dryRun === "server" ? "All" : undefined,
      fieldManager: flags["field-manager"],
    };
    printer.print(await createObject(context, object, namespace, query), context.out);
  });
}

function serviceFor(
  flags: ExposeInvocation["flags"],
  object: Unstructured,
  ownName: string,
): Unstructured {
  const selector = flags.selector === "" ? selectorOf(object) : parseLabelList(flags.selector);
  const labels =
    flags.labels === "" ? (object.metadata?.labels ?? {}) : parseLabelList(flags.labels);
  const ports = servicePorts(flags, object);
  const type = flags.type;
  const affinity = flags["session-affinity"];
  if (affinity !== "" && affinity !== "None" && affinity !== "ClientIP") {
    throw new CommandError(`unknown session affinity: ${affinity}`);
  }
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: flags.name || ownName.slice(0, maxNameLength),
      ...(Object.keys(labels).length > 0 ? { labels } : {}),
    },
    spec: {
      ...(ports.length > 0 ? { ports } : {}),
      selector,
      ...(flags["cluster-ip"] === "" ? {} : { clusterIP: flags["cluster-ip"] }),
      ...(type === "" ? {} : { type }),
      ...(flags["external-ip"] === "" ? {} : { externalIPs: [flags["external-ip"]] }),
      ...(affinity === "" ? {} : { sessionAffinity: affinity }),
      ...(type === "LoadBalancer" && flags["load-balancer-ip"] !== ""
        ? { loadBalancerIP: flags["load-balancer-ip"] }
        : {}),
    },
  };
}

/** The labels of an object's Pods. */
function selectorOf(object: Unstructured): Record<string, string> {
  const { kind } = kindOf(object);
  try {
    return selectorByKind(object, kind);
  } catch (error) {
    throw new CommandError(
      `couldn't retrieve selectors via --selector flag or introspection: ${messageOf(error)}`,
    );
  }
}

function selectorByKind(object: Unstructured, kind: string): Record<string, string> {
  const selector = fieldAt(object, "spec", "selector") as Record<string, unknown> | undefined;
  if (kind === "Pod") {
    const { labels = {} } = object.metadata ?? {};
    if (Object.keys(labels).length > 0) return labels;
    throw new CommandError("the pod has no labels and cannot be exposed");
  }
  if (kind === "Service" || kind === "ReplicationController") {
    if (selector === undefined) throw new CommandError("the service has no pod selector set");
    return selector as Record<string, string>;
  }
  const { matchLabels = {}, matchExpressions = [] } = (selector ?? {}) as {
    matchLabels?: Record<string, string>;
    matchExpressions?: unknown[];
  };
  if (Object.keys(matchLabels).length === 0) {
    throw new CommandError(
      `invalid ${kind.toLowerCase()}: no selectors, therefore cannot be exposed`,
    );
  }
  if (matchExpressions.length > 0) {
    throw new CommandError(
      `couldn't convert expressions - "${goValue(matchExpressions)}" to map-based selector format`,
    );
  }
  return matchLabels;
}

interface FoundPort {
  readonly port: number;
  readonly protocol: string;
}

/** The ports of an object's containers, or of a service. */
function portsOf(object: Unstructured): FoundPort[] {
  const { kind } = kindOf(object);
  if (kind === "Service") {
    const ports = (fieldAt(object, "spec", "ports") ?? []) as { port: number; protocol?: string }[];
    return ports.map(({ port, protocol = "TCP" }) => ({ port, protocol }));
  }
  const path = kind === "Pod" ? ["spec", "containers"] : ["spec", "template", "spec", "containers"];
  const containers = (fieldAt(object, ...path) ?? []) as {
    ports?: { containerPort: number; protocol?: string }[];
  }[];
  return containers.flatMap(({ ports = [] }) =>
    ports.map(({ containerPort, protocol = "TCP" }) => ({ port: containerPort, protocol })),
  );
}

function servicePorts(flags: ExposeInvocation["flags"], object: Unstructured): object[] {
  const found = portsOf(object);
  const wanted =
    flags.port === "" ? [...new Set(found.map(({ port }) => String(port)))] : [flags.port];
  if (wanted.length === 0 && flags["cluster-ip"] !== "None") {
    throw new CommandError("couldn't find port via --port flag or introspection");
  }
  const texts = wanted.flatMap((text) => text.split(","));
  const ports = texts.flatMap((text, i): { name?: string; port: number; protocol: string }[] => {
    const port = numberOf(text);
    const name = texts.length > 1 ? `port-${i + 1}` : "";
    const named = (protocol: string, own: string) => ({
      ...(own === "" ? {} : { name: own }),
      port,
      protocol,
    });
    if (flags.protocol !== "") return [named(flags.protocol, name)];
    const protocols = [
      ...new Set(
        found.filter((each) => String(each.port) === text).map(({ protocol }) => protocol),
      ),
    ];
    if (protocols.length < 2) return [named(protocols[0] ?? "TCP", name)];
    return protocols.map((protocol) => named(protocol, `port-${i + 1}-${protocol.toLowerCase()}`));
  });
  const target = flags["target-port"];
  return ports.map(({ name, port, protocol }) => ({
    ...(name === undefined ? {} : { name }),
    protocol,
    port,
    targetPort: target === "" ? port : parseIntOrString(target),
  }));
}

function numberOf(text: string): number {
  if (/^[-+]?\d+$/.test(text)) return Number(text);
  throw new CommandError(`strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
}
